import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { hostOf, isWithin, type ErasureSubjects } from '#src/outreach/erasure-subjects.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';

/**
 * Removes recipient and content from a workspace's finished messages and verifications to these addresses and domains;
 * when and with what outcome they were sent is kept. Unsent messages stay unchanged: the do-not-contact list stops
 * them.
 * @returns the number of changed messages
 */
export async function eraseMessages(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  { emails, domains }: ErasureSubjects,
): Promise<number> {
  const { rows } = await sql`
    update email_message set recipient = '', subject = null, text_body = null, html_body = null,
      reply_to = null
    where workspace_id = ${workspaceId} and finished_at is not null and recipient <> ''
      and (lower(recipient) = any(${[...emails]}::text[])
        or ${isWithin(hostOf(sql`lower(recipient)`), domains)})
    returning id`.execute(db);
  return rows.length;
}
