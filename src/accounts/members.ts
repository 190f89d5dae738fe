import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { PersonId, UserId, WorkspaceId } from '#src/ids.ts';
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
  /** Of the sessions of its person; null for an account that only has keys. */
  signInRole: Role | null;
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
    sign_in_role: Role | null;
    roles: Role[];
  }>`
    select u.id, u.display_name, u.email, u.created_at, u.sign_in_role, array(select distinct k.role from api_key k
      where k.workspace_id = u.workspace_id and k.user_id = u.id and ${isValid}) as roles
    from user_account u where u.workspace_id = ${workspaceId}
    order by u.created_at, u.id`.execute(db);
  const members = rows.map((row, index) => ({
    userId: row.id,
    displayName: row.display_name,
    email: row.email,
    roles: ROLES.filter((role) => row.roles.includes(role)),
    signInRole: row.sign_in_role,
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
 * an owner. Its sign-in sessions end at once; every process rejects its keys within 5 s. A person who belongs to no
 * other workspace is deleted.
 * @throws Problem NOT_FOUND for an unknown member, CONFLICT for the caller, the owner and the last admin
 */
export async function removeMember(
  db: Database,
  { workspaceId, userId, by }: { workspaceId: WorkspaceId; userId: string; by: UserId },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    const member = await getMember(trx, workspaceId, userId);
    const refusal =
      member.id === by
        ? 'You cannot remove your own account. Another admin can.'
        : await whyNotLeave(trx, workspaceId, member);
    if (refusal !== null) throw new Problem('CONFLICT', refusal);
    await trx
      .deleteFrom('user_account')
      .where('id', '=', member.id)
      .where('workspace_id', '=', workspaceId)
      .execute();
    await endOwnerLinks(trx, workspaceId);
    if (member.personId !== null) await deleteIfAlone(trx, member.personId);
  });
}

/** Locks the person first: whether they belong to a workspace must be read once nobody can admit them to another. */
async function deleteIfAlone(trx: DatabaseTransaction, personId: PersonId): Promise<void> {
  await trx.selectFrom('person').select('id').where('id', '=', personId).forUpdate().execute();
  await sql`delete from person p where p.id = ${personId}
    and not exists (select from user_account u where u.person_id = p.id)`.execute(trx);
}

/**
 * Changes the role in which a member's sessions act, at once.
 * @throws Problem NOT_FOUND for an unknown member, CONFLICT for the caller, the owner, the last admin, and a member who
 * only has keys
 */
export async function changeSignInRole(
  db: Database,
  {
    workspaceId,
    userId,
    by,
    role,
  }: { workspaceId: WorkspaceId; userId: string; by: UserId; role: Role },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    const member = await getMember(trx, workspaceId, userId);
    const refusal = await whyNotChangeRole(trx, workspaceId, member, { by, role });
    if (refusal !== null) throw new Problem('CONFLICT', refusal);
    await trx
      .updateTable('user_account')
      .set({ sign_in_role: role })
      .where('id', '=', member.id)
      .where('workspace_id', '=', workspaceId)
      .execute();
    if (role !== 'admin') await endOwnerLinks(trx, workspaceId);
  });
}

/** Whoever made one could come back as an admin by it, and no list shows it. */
async function endOwnerLinks(trx: DatabaseTransaction, workspaceId: WorkspaceId): Promise<void> {
  await trx
    .deleteFrom('invitation')
    .where('workspace_id', '=', workspaceId)
    .where('email', 'is', null)
    .execute();
}

const isValid = sql<boolean>`k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;

export async function countMembers(
  trx: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
): Promise<number> {
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

/** A member, as far as rules about leaving need to know. */
export interface MemberStanding {
  id: UserId;
  personId: PersonId | null;
  isOwner: boolean;
}

/** The member with this id; null for an unknown id, and for text that is not a UUID. */
export async function findMember(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  userId: string,
): Promise<MemberStanding | null> {
  const { rows } = await sql<MemberStanding>`
    select id, person_id as "personId", id = (select id from user_account
      where workspace_id = ${workspaceId} order by created_at, id limit 1) as "isOwner"
    from user_account where workspace_id = ${workspaceId}
      and id::text = ${userId.toLowerCase()}`.execute(trx);
  return rows[0] ?? null;
}

/** The error message if the member cannot leave the workspace, or null. */
export async function whyNotLeave(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  { id, isOwner }: MemberStanding,
): Promise<string | null> {
  if (isOwner) return 'The owner of the workspace cannot be removed.';
  if (await hasOtherAdmin(trx, workspaceId, id)) return null;
  return 'This member is the only admin of the workspace. Add another admin first.';
}

async function whyNotChangeRole(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  { id, personId, isOwner }: MemberStanding,
  { by, role }: { by: UserId; role: Role },
): Promise<string | null> {
  if (personId === null) {
    return 'This member only has API keys, whose roles are fixed. Make a key with the other role, and revoke the old one.';
  }
  if (id === by) return 'You cannot change your own role. Another admin can.';
  if (isOwner) return 'The owner of the workspace is always an admin.';
  if (role === 'admin' || (await hasOtherAdmin(trx, workspaceId, id))) return null;
  return 'This member is the only admin of the workspace. Add another admin first.';
}

/** By a valid key or by signing in. */
async function hasOtherAdmin(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  id: UserId,
): Promise<boolean> {
  const { rows } = await sql`select 1 from user_account u
    where u.workspace_id = ${workspaceId} and u.id <> ${id} and (u.sign_in_role = 'admin'
      or exists (select from api_key k where k.workspace_id = u.workspace_id and k.user_id = u.id
        and k.role = 'admin' and ${isValid})) limit 1`.execute(trx);
  return rows.length > 0;
}

async function getMember(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  userId: string,
): Promise<MemberStanding> {
  const member = await findMember(trx, workspaceId, userId);
  if (member) return member;
  throw new Problem(
    'NOT_FOUND',
    `There is no member with the id ${JSON.stringify(userId.slice(0, 100))}. GET /account/members lists the members of this workspace.`,
  );
}
