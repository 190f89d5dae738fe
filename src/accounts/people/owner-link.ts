import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { InvitationId, UserId, WorkspaceId } from '#src/ids.ts';
import { findBootstrapWorkspace } from '#src/accounts/bootstrap-workspace.ts';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import {
  findPerson,
  giveAccount,
  insertPerson,
  joinWorkspace,
  type KnownPerson,
  type NewPerson,
  savePassword,
} from './join-workspace.ts';
import { hashLinkToken, makeLinkToken } from './link-token.ts';

const VALID_HOURS = 24;

/** Makes the token of an owner link: whoever uses it becomes an admin of the operator's workspace. */
export async function makeOwnerToken(db: Database): Promise<{ token: string; expiresAt: Date }> {
  const { token, tokenHash } = makeLinkToken();
  const { expires_at: expiresAt } = await db
    .insertInto('invitation')
    .columns(['id', 'workspace_id', 'role', 'token_hash', 'expires_at'])
    .expression((from) =>
      from
        .selectFrom('workspace')
        .select([
          sql<InvitationId>`${randomUUID()}::uuid`.as('id'),
          'workspace.id as workspace_id',
          sql<'admin'>`'admin'`.as('role'),
          sql<Buffer>`${tokenHash}::bytea`.as('token_hash'),
          sql<Date>`now() + make_interval(hours => ${VALID_HOURS}::int)`.as('expires_at'),
        ])
        .where('is_bootstrap', '=', true),
    )
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return { token, expiresAt };
}

/** Whether anybody signs in as an operator: an admin of the bootstrap workspace. */
export async function hasOwner(db: Database): Promise<boolean> {
  const row = await db
    .selectFrom('user_account as u')
    .innerJoin('workspace as w', 'w.id', 'u.workspace_id')
    .select('u.id')
    .where('w.is_bootstrap', '=', true)
    .where('u.sign_in_role', '=', 'admin')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Uses an owner link. Who signs in to the operator's workspace already gets a new password, and their sessions end:
 * this is also the way back in for one who forgot it. All owner links end with the first that is used.
 * @throws Problem BAD_REQUEST for a wrong, used or expired token, CONFLICT when the address belongs to somebody outside
 * the operator's workspace
 */
export async function useOwnerLink(
  db: Database,
  token: string,
  owner: Omit<NewPerson, 'isVerified'>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const workspaceId = await lockOperators(trx);
    await takeOwnerLink(trx, token);
    const known = await findPerson(trx, owner.email);
    if (known !== null) await readmit(trx, workspaceId, known, owner.passwordHash);
    else await admit(trx, workspaceId, await insertPerson(trx, { ...owner, isVerified: false }));
  });
}

/** Before any link is taken: two that are used at once would otherwise wait for each other. */
async function lockOperators(trx: DatabaseTransaction): Promise<WorkspaceId> {
  const workspaceId = await findBootstrapWorkspace(trx);
  if (workspaceId === null) throw linkIsDead();
  await lockWorkspace(trx, workspaceId);
  return workspaceId;
}

async function takeOwnerLink(trx: DatabaseTransaction, token: string): Promise<void> {
  const used = await trx
    .deleteFrom('invitation')
    .where('token_hash', '=', hashLinkToken(token))
    .where('email', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('id')
    .executeTakeFirst();
  if (!used) throw linkIsDead();
  await trx.deleteFrom('invitation').where('email', 'is', null).execute();
}

function linkIsDead(): Problem {
  return new Problem(
    'BAD_REQUEST',
    'body.token: this owner link was used, has expired or is wrong. Make another with: npx millrace owner-link',
  );
}

/** The first owner gets the account that the workspace began with, and so all that its keys have made. */
async function admit(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  person: KnownPerson,
): Promise<void> {
  const first = await findFirstAccount(trx, workspaceId);
  if (first?.person_id === null) await giveAccount(trx, first.id, { person, role: 'admin' });
  else await joinWorkspace(trx, { workspaceId, person, role: 'admin' });
}

async function readmit(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  person: KnownPerson,
  passwordHash: string,
): Promise<void> {
  const member = await trx
    .updateTable('user_account')
    .set({ sign_in_role: 'admin' })
    .where('workspace_id', '=', workspaceId)
    .where('person_id', '=', person.id)
    .returning('id')
    .executeTakeFirst();
  if (!member) {
    throw new Problem(
      'CONFLICT',
      'body.email: somebody outside the workspace of the operator signs in with this address. Use another one; they can be invited later.',
    );
  }
  await savePassword(trx, person.id, passwordHash);
  await trx.deleteFrom('person_session').where('person_id', '=', person.id).execute();
}

async function findFirstAccount(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
): Promise<{ id: UserId; person_id: string | null } | undefined> {
  return trx
    .selectFrom('user_account')
    .select(['id', 'person_id'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirst();
}
