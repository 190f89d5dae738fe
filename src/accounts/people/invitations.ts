import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { InvitationId, UserId, WorkspaceId } from '#src/ids.ts';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import { countMembers, type ExplainNoSeat } from '#src/accounts/members.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Role } from '#src/tables/accounts.ts';
import { makeLinkToken } from './link-token.ts';

const VALID_DAYS = 7;

/** An invitation that was neither used nor has expired. */
export interface Invitation {
  id: InvitationId;
  email: string;
  role: Role;
  /** Name of the admin who invited; null when that account is gone. */
  invitedBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/**
 * Invites somebody, and replaces an earlier invitation of the same address. `token` is returned only here.
 * @throws Problem UNAUTHORIZED when members and open invitations take every seat, CONFLICT when the address belongs to
 * a member who signs in
 */
export async function invite(
  db: Database,
  {
    workspaceId,
    by,
    email,
    role,
  }: { workspaceId: WorkspaceId; by: UserId; email: string; role: Role },
  explainNoSeat: ExplainNoSeat,
): Promise<{ id: InvitationId; token: string; createdAt: Date; expiresAt: Date }> {
  const { token, tokenHash } = makeLinkToken();
  return db.transaction().execute(async (trx) => {
    const { plan_tier: plan } = await lockWorkspace(trx, workspaceId);
    await deleteEarlier(trx, workspaceId, email);
    const hasAccount = await assertNotMember(trx, workspaceId, email);
    const taken = (await countMembers(trx, workspaceId)) + (await countOpen(trx, workspaceId));
    const refusal = hasAccount ? null : explainNoSeat(plan, taken);
    if (refusal !== null) throw new Problem('UNAUTHORIZED', refusal);
    const row = await trx
      .insertInto('invitation')
      .values({
        id: randomUUID() as InvitationId, // a new row's id is branded at its source
        workspace_id: workspaceId,
        email,
        role,
        token_hash: tokenHash,
        invited_by: by,
        expires_at: sql<Date>`now() + make_interval(days => ${VALID_DAYS}::int)`,
      })
      .returning(['id', 'created_at', 'expires_at'])
      .executeTakeFirstOrThrow();
    return { id: row.id, token, createdAt: row.created_at, expiresAt: row.expires_at };
  });
}

/** Whoever uses the link of a mailed invitation reads mail at its address. */
export async function markMailed(db: Database, id: InvitationId): Promise<void> {
  await db.updateTable('invitation').set({ is_mailed: true }).where('id', '=', id).execute();
}

/** The open invitations of a workspace, oldest first. */
export async function listInvitations(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<Invitation[]> {
  const { rows } = await sql<Invitation>`
    select i.id, i.email, i.role, u.display_name as "invitedBy", i.created_at as "createdAt",
      i.expires_at as "expiresAt"
    from invitation i left join user_account u on u.id = i.invited_by
    where i.workspace_id = ${workspaceId} and i.email is not null and i.expires_at > now()
    order by i.created_at, i.id`.execute(db);
  return rows;
}

/** @throws Problem NOT_FOUND when the workspace has no such invitation */
export async function withdrawInvitation(
  db: Database,
  { workspaceId, id }: { workspaceId: WorkspaceId; id: string },
): Promise<void> {
  const withdrawn = await db
    .deleteFrom('invitation')
    // Compared as text, so that a malformed UUID is an unknown id instead of a database error.
    .where(sql<string>`id::text`, '=', id.toLowerCase())
    .where('workspace_id', '=', workspaceId)
    .where('email', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  if (withdrawn) return;
  throw new Problem(
    'NOT_FOUND',
    `There is no invitation with the id ${JSON.stringify(id.slice(0, 100))}. GET /account/invitations lists those that are open.`,
  );
}

async function deleteEarlier(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  email: string,
): Promise<void> {
  await trx
    .deleteFrom('invitation')
    .where('workspace_id', '=', workspaceId)
    .where((where) =>
      where.or([where('email', '=', email), where('expires_at', '<=', sql<Date>`now()`)]),
    )
    .execute();
}

/** Whether the address has an account that only has keys: its seat is taken already. */
async function assertNotMember(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  email: string,
): Promise<boolean> {
  const member = await trx
    .selectFrom('user_account')
    .select(['id', 'person_id'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`lower(email) = ${email}`)
    .executeTakeFirst();
  if (member !== undefined && member.person_id !== null) {
    throw new Problem('CONFLICT', `body.email: ${email} is a member of this workspace already.`);
  }
  return member !== undefined;
}

async function countOpen(trx: DatabaseTransaction, workspaceId: WorkspaceId): Promise<number> {
  const { open } = await trx
    .selectFrom('invitation as i')
    .select(sql<number>`count(*)::int`.as('open'))
    .where('i.workspace_id', '=', workspaceId)
    .where('i.email', 'is not', null)
    .where('i.expires_at', '>', sql<Date>`now()`)
    .where(
      sql<boolean>`not exists (select from user_account u
        where u.workspace_id = i.workspace_id and lower(u.email) = i.email)`,
    )
    .executeTakeFirstOrThrow();
  return open;
}
