import { sql } from 'kysely';
import type { EmailAccountId } from '#src/ids.ts';
import type { ClaimedMessage } from './claim-message.ts';
import type { EmailServices } from './email-services.ts';
import { type PacedSender, paceKeyOf, pacedSenderOf } from './pace-key.ts';
import { sendJobs, type WaitingMessage } from './send-jobs.ts';
import { countUnpaced } from './take-turn.ts';

/**
 * Counts a successful verification. It shows that the server accepts mail of this SMTP user again, so messages that
 * waited for a pause become due, whichever account or workspace sends them.
 */
export async function resumeSending(
  services: Pick<EmailServices, 'db' | 'log' | 'producer'>,
  message: ClaimedMessage,
): Promise<void> {
  const sender = pacedSenderOf(message);
  if (!(await countUnpaced(services.db, sender))) return;
  const accounts = await accountsThatWait(services, sender);
  const { rows } = await sql<WaitingMessage>`
    update email_message set next_attempt_at = now(), queued_at = now(), turn_at = null
    where email_account_id = any(${accounts}::uuid[])
      and status = 'queued' and kind = 'message' and limited_since is not null
    returning id, kind`.execute(services.db);
  await sendJobs(services, rows);
}

/** The accounts with the pace of the sender that have messages waiting. */
async function accountsThatWait(
  { db }: Pick<EmailServices, 'db'>,
  sender: PacedSender,
): Promise<EmailAccountId[]> {
  const { rows } = await sql<PacedSender & { id: EmailAccountId }>`
    select a.id, a.workspace_id, a.smtp_host, a.smtp_user from email_account a
    where lower(a.smtp_user) = lower(${sender.smtp_user}) and exists (
      select 1 from email_message m where m.email_account_id = a.id and m.finished_at is null
        and m.status = 'queued' and m.kind = 'message' and m.limited_since is not null)`.execute(
    db,
  );
  const paceKey = paceKeyOf(sender);
  return rows.filter((account) => paceKeyOf(account) === paceKey).map(({ id }) => id);
}
