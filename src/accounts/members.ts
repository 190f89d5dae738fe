import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { type PlanTier, type Role, ROLES } from '#src/tables/accounts.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { createApiKey } from './api-keys.ts';

/** A user account of a workspace. */
export interface Member {
  userId: UserId;
  displayName: string;
  email: string | null;
  /** Roles of the account's valid keys; empty when it has none. */
  roles: Role[];
  createdAt: Date;
  /** True for the account that the workspace was created with. */
  isOwner: boolean;
}

export interface NewMember {
  workspaceId: WorkspaceId;
  displayName: string;
  email: string | null;
  /** Of the key that it begins with. */
  role: Role;
}

/** The error message for adding a member to a plan with this many seats taken, or null if there is a free seat. */
export type ExplainNoSeat = (plan: PlanTier, taken: number) => string | null;

/** The user accounts of a workspace, oldest first, and the workspace's plan. */
export async function listMembers(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<{ members: Member[]; plan: PlanTier }> {
  const { plan_tier: plan } = await db
    .selectFrom('workspace')
    .select('plan_tier')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  const { rows } = await sql<{
    id: UserId;
    display_name: string;
    email: string | null;
    created_at: Date;
    roles: Role[];
  }>`
    select u.id, u.display_name, u.email, u.created_at, array(select distinct k.role from api_key k
      where k.workspace_id = u.workspace_id and k.user_id = u.id and ${isValid}) as roles
    from user_account u where u.workspace_id = ${workspaceId}
    order by u.created_at, u.id`.execute(db);
  const members = rows.map((row, index) => ({
    userId: row.id,
    displayName: row.display_name,
    email: row.email,
    roles: ROLES.filter((role) => row.roles.includes(role)),
    createdAt: row.created_at,
    isOwner: index === 0,
  }));
  return { members, plan };
}

/**
 * Creates a user account and its first API key if the plan has a free seat. Concurrent calls are serialized.
 * @throws Problem UNAUTHORIZED when every seat is taken, CONFLICT when a member has this e-mail address
 */
export async function addMember(
  db: Database,
  { workspaceId, displayName, email, role }: NewMember,
  explainNoSeat: ExplainNoSeat,
): Promise<{ userId: UserId; apiKey: string }> {
  return db.transaction().execute(async (trx) => {
    const { plan_tier: plan } = await lockWorkspace(trx, workspaceId);
    if (email !== null) await assertEmailIsFree(trx, workspaceId, email);
    const refusal = explainNoSeat(plan, await countMembers(trx, workspaceId));
    if (refusal !== null) throw new Problem('UNAUTHORIZED', refusal);
    const userId = randomUUID() as UserId; // a new row's id is branded at its source
    await trx
      .insertInto('user_account')
      .values({ id: userId, workspace_id: workspaceId, display_name: displayName, email })
      .execute();
    const { key } = await createApiKey(trx, {
      workspaceId,
      userId,
      name: 'First key',
      role,
      expiresInDays: null,
    });
    return { userId, apiKey: key };
  });
}

/**
 * Removes a user account with its keys, chat sessions and points. Whatever it created for the workspace stays, without
 * an owner. Every process rejects its keys within 5 s.
 * @throws Problem NOT_FOUND for an unknown member, CONFLICT for the caller, the owner and the last admin
 */
export async function removeMember(
  db: Database,
  { workspaceId, userId, by }: { workspaceId: WorkspaceId; userId: string; by: UserId },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    const member = await findMember(trx, workspaceId, userId);
    if (!member) {
      throw new Problem(
        'NOT_FOUND',
        `There is no member with the id ${JSON.stringify(userId.slice(0, 100))}. GET /account/members lists the members of this workspace.`,
      );
    }
    const refusal = await whyNotRemove(trx, workspaceId, member, by);
    if (refusal !== null) throw new Problem('CONFLICT', refusal);
    await trx
      .deleteFrom('user_account')
      .where('id', '=', member.id)
      .where('workspace_id', '=', workspaceId)
      .execute();
  });
}

const isValid = sql<boolean>`k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;

async function countMembers(trx: DatabaseTransaction, workspaceId: WorkspaceId): Promise<number> {
  const { members } = await trx
    .selectFrom('user_account')
    .select(sql<number>`count(*)::int`.as('members'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return members;
}

async function assertEmailIsFree(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  email: string,
): Promise<void> {
  const holder = await trx
    .selectFrom('user_account')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .executeTakeFirst();
  if (!holder) return;
  throw new Problem(
    'CONFLICT',
    `body.email: the member ${holder.id} of this workspace has this e-mail address. Give another, or remove that member first.`,
  );
}

async function findMember(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  userId: string,
): Promise<{ id: UserId; isOwner: boolean } | null> {
  const { rows } = await sql<{ id: UserId; isOwner: boolean }>`
    select id, id = (select id from user_account where workspace_id = ${workspaceId}
      order by created_at, id limit 1) as "isOwner"
    from user_account where workspace_id = ${workspaceId}
      and id::text = ${userId.toLowerCase()}`.execute(trx);
  return rows[0] ?? null;
}

/** The error message if the member cannot be removed, or null. */
async function whyNotRemove(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  { id, isOwner }: { id: UserId; isOwner: boolean },
  by: UserId,
): Promise<string | null> {
  if (id === by) return 'You cannot remove your own account. Another admin can.';
  if (isOwner) return 'The owner of the workspace cannot be removed.';
  const { rows } = await sql`select 1 from api_key k
    where k.workspace_id = ${workspaceId} and k.user_id <> ${id} and k.role = 'admin'
      and ${isValid} limit 1`.execute(trx);
  if (rows.length > 0) return null;
  return 'This member has the only valid admin key of the workspace. Add another admin first.';
}
