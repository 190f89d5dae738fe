import { type RawBuilder, sql } from 'kysely';
import type { EmailAccountId, EmailMessageId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { EmailMessageStatus } from '#src/tables/email.ts';
import { encodeMessageCursor, type MessagesQuery } from './message-query.ts';
import { unknownMessage } from '#src/email/path-ids.ts';

/** Identifies a message in its workspace. */
export interface MessageAddress {
  workspaceId: WorkspaceId;
  id: EmailMessageId;
}

/** What can be shown of a message: its status, not its content. */
export interface MessageRecord {
  id: EmailMessageId;
  email_account_id: EmailAccountId;
  kind: 'verification' | 'message';
  status: EmailMessageStatus;
  recipient: string;
  attempts: number;
  next_attempt_at: Date | null;
  error_class: string | null;
  error: string | null;
  advice: string[];
  created_at: Date;
  finished_at: Date | null;
  /** Whether the account still has the settings that the message was requested with. */
  is_current: boolean;
  /** When the message was reported as returned or unwanted; null if it was not. */
  returned_at: Date | null;
  status_code: string | null;
  is_listed: boolean | null;
}

const MESSAGE = sql<MessageRecord>`m.id, m.email_account_id, m.kind, m.status, m.recipient,
  m.attempts, m.next_attempt_at, m.error_class, m.error, m.advice, m.created_at, m.finished_at,
  a.settings_revision = m.settings_revision as is_current,
  r.reported_at as returned_at, r.status_code, r.is_listed
  from email_message m join email_account a on a.id = m.email_account_id
  left join email_return r on r.email_message_id = m.id`;

/** Newest first. Messages that arrive meanwhile do not shift the pages. */
export async function listMessages(
  db: Database,
  workspaceId: WorkspaceId,
  query: MessagesQuery,
): Promise<{ messages: MessageRecord[]; nextCursor: string | null }> {
  const { cursor } = query;
  const conditions = [
    sql`m.workspace_id = ${workspaceId}`,
    query.email_account_id && sql`m.email_account_id = ${query.email_account_id}`,
    query.status && sql`m.status = ${query.status}`,
    query.kind && sql`m.kind = ${query.kind}`,
    cursor &&
      sql`(m.created_at, m.id) < ('epoch'::timestamptz
        + ${cursor.createdAtMicros}::bigint * interval '1 microsecond', ${cursor.id}::uuid)`,
  ].filter((one): one is RawBuilder<unknown> => typeof one === 'object');
  // A `Date` would truncate the microseconds, and with them the order.
  const { rows } = await sql<MessageRecord & { micros: string }>`
    select (extract(epoch from m.created_at) * 1000000)::bigint::text as micros, ${MESSAGE}
    where ${sql.join(conditions, sql` and `)}
    order by m.created_at desc, m.id desc limit ${query.limit + 1}`.execute(db);
  const messages = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? messages.at(-1) : undefined;
  const nextCursor = last
    ? encodeMessageCursor({ createdAtMicros: last.micros, id: last.id })
    : null;
  return { messages, nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function findMessage(
  db: Database | DatabaseTransaction,
  { workspaceId, id }: MessageAddress,
): Promise<MessageRecord> {
  const { rows } = await sql<MessageRecord>`
    select ${MESSAGE} where m.workspace_id = ${workspaceId} and m.id = ${id}`.execute(db);
  const [found] = rows;
  if (!found) throw unknownMessage(id);
  return found;
}
