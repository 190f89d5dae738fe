import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { hostOf, isWithin, type WhomToErase } from '#src/outreach/whom-to-erase.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';

/**
 * Takes recipient and content out of the finished messages and verifications of a workspace to these addresses and domains;
 * when they were sent, and how that went, stays. What is still to be sent is kept as it is: the do-not-contact list stops it.
 * @returns messages that are changed
 */
export async function eraseMessages(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  { emails, domains }: WhomToErase,
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
