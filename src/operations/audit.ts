import { sql } from 'kysely';
import type { ApiKeyId, UserId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';

/** The author of an action. */
export interface Operator {
  userId: UserId;
  keyId: ApiKeyId | null;
  name: string;
  requestId: string;
}

/** What an operator can do. */
export type OperatorActionName =
  | 'queue.pause'
  | 'queue.resume'
  | 'failures.retry'
  | 'failures.discard'
  | 'schedule.run'
  | 'dashboard'
  | 'workspace.create'
  | 'workspace.rename'
  | 'workspace.plan'
  | 'owner_link.create'
  | 'secrets.reseal'
  // Of the operator's own workspace: they decide who is an operator.
  | 'key.create'
  | 'key.revoke'
  | 'member.add'
  | 'member.role'
  | 'member.remove'
  | 'invitation.create'
  | 'invitation.withdraw';

export interface NewAction {
  action: OperatorActionName;
  queue: string | null;
  detail: Record<string, unknown>;
}

/** Writes an action into the audit log; in the action's own transaction, where it has one. */
export async function recordAction(
  db: Database | DatabaseTransaction,
  operator: Operator,
  { action, queue, detail }: NewAction,
): Promise<void> {
  await db
    .insertInto('operator_action')
    .values({
      user_id: operator.userId,
      user_name: operator.name,
      api_key_id: operator.keyId,
      action,
      queue,
      detail: JSON.stringify(detail),
      request_id: operator.requestId,
    })
    .execute();
}

export interface AuditQuery {
  queue: string | null;
  /** Only actions of this user account. */
  userId: string | null;
  /** Only older ones. */
  before: number | null;
  limit: number;
}

/** What operators did, newest first. */
export async function listActions(db: Database, { queue, userId, before, limit }: AuditQuery) {
  let query = db.selectFrom('operator_action').selectAll().orderBy('id', 'desc').limit(limit);
  if (queue !== null) query = query.where('queue', '=', queue);
  if (userId !== null) query = query.where('user_id', '=', userId as UserId); // a UUID; the query tells whether it exists
  if (before !== null) query = query.where('id', '<', before);
  return query.execute();
}

const MAX_ACTORS = 200;

/** Everyone who has acted so far, each by their latest name. */
export async function listActors(db: Database): Promise<{ user_id: string; name: string }[]> {
  const { rows } = await sql<{ user_id: string; name: string }>`
    select user_id::text as user_id, coalesce((array_agg(user_name order by id desc))[1], '') as name
    from operator_action where user_id is not null
    group by user_id order by name limit ${MAX_ACTORS}`.execute(db);
  return rows;
}
