import { sql } from 'kysely';
import type { InvitationId, PersonId, WorkspaceId } from '#src/ids.ts';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import { countMembers, type ExplainNoSeat } from '#src/accounts/members.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { PlanTier, Role } from '#src/tables/accounts.ts';
import type { PersonSession } from './better-auth.ts';
import { findPerson, insertPerson, joinWorkspace, type KnownPerson } from './join-workspace.ts';
import { hashLinkToken } from './link-token.ts';

/** What the link of an invitation offers to whoever has it. */
export interface Offer {
  email: string;
  role: Role;
  workspaceName: string;
  expiresAt: Date;
  /** Whether somebody signs in with the address already. */
  hasAccount: boolean;
}

/** @throws Problem BAD_REQUEST for a wrong, used or expired token */
export async function readOffer(db: Database, token: string): Promise<Offer> {
  const { rows } = await sql<Offer>`
    select i.email, i.role, w.name as "workspaceName", i.expires_at as "expiresAt",
      exists (select from person p where p.email = i.email) as "hasAccount"
    from invitation i join workspace w on w.id = i.workspace_id
    where i.token_hash = ${hashLinkToken(token)} and i.email is not null and i.expires_at > now()`.execute(
    db,
  );
  const [offer] = rows;
  if (!offer) throw linkIsDead();
  return offer;
}

/**
 * Uses an invitation, once. An address that somebody signs in with already needs their session: the link alone, which
 * the admin who invited may know, must not give access to what they have in other workspaces.
 * @returns the workspace, and the address of the new person, null when it was the one of the session
 * @throws Problem BAD_REQUEST for a dead link or a missing field, UNAUTHENTICATED when the person must sign in first,
 * UNAUTHORIZED when somebody else is signed in or no seat is free
 */
export async function acceptInvitation(
  db: Database,
  token: string,
  {
    session,
    newPerson,
  }: {
    session: PersonSession | null;
    newPerson: { name: string; passwordHash: string } | null;
  },
  explainNoSeat: ExplainNoSeat,
): Promise<{ workspaceId: WorkspaceId; newEmail: string | null }> {
  return db.transaction().execute(async (trx) => {
    const invitation = await takeInvitation(trx, token);
    const { workspaceId, email, isMailed: isVerified } = invitation;
    const known = await findPerson(trx, email);
    if (known === null && newPerson === null) throw fieldsMissing();
    const person =
      known === null && newPerson !== null
        ? await insertPerson(trx, { ...newPerson, email, isVerified })
        : assertSame(known, session);
    await admitMember(trx, invitation, person, explainNoSeat);
    return { workspaceId, newEmail: known === null ? email : null };
  });
}

/**
 * Uses all invitations of a person whose provider vouches for their address; those to a workspace without a free seat
 * stay.
 */
export async function acceptAllFor(
  db: Database,
  person: KnownPerson,
  explainNoSeat: ExplainNoSeat,
): Promise<void> {
  const open = await db
    .selectFrom('invitation')
    .select('token_hash')
    .where('email', '=', person.email)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at')
    .limit(100)
    .execute();
  for (const { token_hash: tokenHash } of open) {
    await db
      .transaction()
      .execute(async (trx) => {
        await admitMember(trx, await takeByHash(trx, tokenHash), person, explainNoSeat);
      })
      .catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
      });
  }
}

/** Whether somebody has invited this address. */
export async function isInvited(db: Database, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('invitation')
    .select('id')
    .where('email', '=', email.toLowerCase())
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row !== undefined;
}

interface TakenInvitation {
  id: InvitationId;
  workspaceId: WorkspaceId;
  /** Of the workspace, which is locked. */
  plan: PlanTier;
  email: string;
  role: Role;
  isMailed: boolean;
}

function takeInvitation(trx: DatabaseTransaction, token: string): Promise<TakenInvitation> {
  return takeByHash(trx, hashLinkToken(token));
}

/**
 * Deletes it; if the transaction fails, it can be used again. Locks its workspace first, in the order of an admin who
 * invites the same address again.
 */
async function takeByHash(trx: DatabaseTransaction, tokenHash: Buffer): Promise<TakenInvitation> {
  const open = await trx
    .selectFrom('invitation')
    .select('workspace_id')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  if (!open) throw linkIsDead();
  const { plan_tier: plan } = await lockWorkspace(trx, open.workspace_id);
  const { rows } = await sql<Omit<TakenInvitation, 'plan'>>`
    delete from invitation
    where token_hash = ${tokenHash} and email is not null and expires_at > now()
    returning id, workspace_id as "workspaceId", email, role, is_mailed as "isMailed"`.execute(trx);
  const [taken] = rows;
  if (!taken) throw linkIsDead();
  return { ...taken, plan };
}

async function admitMember(
  trx: DatabaseTransaction,
  { workspaceId, plan, role }: TakenInvitation,
  person: KnownPerson,
  explainNoSeat: ExplainNoSeat,
): Promise<void> {
  if (await isMember(trx, workspaceId, person.id)) return;
  const taken = await countMembers(trx, workspaceId);
  const { isNew } = await joinWorkspace(trx, { workspaceId, person, role });
  const refusal = isNew ? explainNoSeat(plan, taken) : null;
  if (refusal !== null) throw new Problem('UNAUTHORIZED', refusal);
}

async function isMember(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  personId: PersonId,
): Promise<boolean> {
  const row = await trx
    .selectFrom('user_account')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return row !== undefined;
}

function assertSame(known: KnownPerson | null, session: PersonSession | null): KnownPerson {
  if (session === null) {
    throw new Problem(
      'UNAUTHENTICATED',
      'The invited address has an account. Sign in with it, then open the link again.',
    );
  }
  if (known?.id !== session.person.id) {
    throw new Problem(
      'UNAUTHORIZED',
      'The invitation is for another address than the one you are signed in with. Sign out, and sign in with the invited address.',
    );
  }
  return known;
}

function fieldsMissing(): Problem {
  return new Problem('BAD_REQUEST', 'body.name, body.password: a new account needs both.');
}

function linkIsDead(): Problem {
  return new Problem(
    'BAD_REQUEST',
    'body.token: this invitation was used or withdrawn, has expired or is wrong. Ask for another.',
  );
}
