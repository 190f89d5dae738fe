import { sql } from 'kysely';
import type { BounceMailboxId, EmailAccountId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { unknownBounceMailbox } from '#src/email/path-ids.ts';

/** Identifies a bounce mailbox in its workspace. */
export interface BounceMailboxAddress {
  workspaceId: WorkspaceId;
  id: BounceMailboxId;
}

/** The public fields of a bounce mailbox: all but its password and token. */
export interface BounceMailboxRecord {
  id: BounceMailboxId;
  email_account_id: EmailAccountId | null;
  kind: 'imap' | 'pop3' | 'webhook';
  host: string | null;
  port: number | null;
  use_tls: boolean | null;
  username: string | null;
  folder: string | null;
  next_poll_at: Date | null;
  error_class: string | null;
  error: string | null;
  last_polled_at: Date | null;
  returned_total: number;
  last_returned_at: Date | null;
  created_at: Date;
}

const MAILBOX = sql<BounceMailboxRecord>`id, email_account_id, kind, host, port, use_tls, username,
  folder, next_poll_at, error_class, error, last_polled_at, returned_total, last_returned_at,
  created_at from bounce_mailbox`;

/** Oldest first. */
export async function listBounceMailboxes(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<BounceMailboxRecord[]> {
  const { rows } = await sql<BounceMailboxRecord>`
    select ${MAILBOX} where workspace_id = ${workspaceId} order by created_at, id`.execute(db);
  return rows;
}

/** @throws Problem NOT_FOUND */
export async function findBounceMailbox(
  db: Database | DatabaseTransaction,
  { workspaceId, id }: BounceMailboxAddress,
): Promise<BounceMailboxRecord> {
  const { rows } = await sql<BounceMailboxRecord>`
    select ${MAILBOX} where workspace_id = ${workspaceId} and id = ${id}`.execute(db);
  const [found] = rows;
  if (!found) throw unknownBounceMailbox(id);
  return found;
}

/** The additional authenticated data of the sealed password. */
export function mailboxSealedFor(id: BounceMailboxId): string {
  return `bounce_mailbox:${id}`;
}

/** Adds to the number of messages that reports from this mailbox have ended. */
export async function countReturned(
  db: Database,
  id: BounceMailboxId,
  returned: number,
): Promise<void> {
  if (returned === 0) return;
  await sql`update bounce_mailbox set returned_total = returned_total + ${returned}::int,
    last_returned_at = now() where id = ${id}`.execute(db);
}
