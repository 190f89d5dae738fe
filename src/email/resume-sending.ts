import { sql } from 'kysely';
import type { EmailAccountId } from '#src/ids.ts';
import type { EmailServices } from './email-services.ts';
import { type PacedSender, paceKeyOf } from './pace-key.ts';
import { type PlacedMessage, roundedPlace, sendPlaced } from './send-jobs.ts';
import { countUnpaced } from './take-turn.ts';

/**
 * Counts mail sent without a turn: a verification, or mail of the service itself. It shows that the server accepts mail
 * of this SMTP user again, so messages that waited for a pause become due, whichever account or workspace sends them.
 */
export async function resumeSending(
  services: Pick<EmailServices, 'db' | 'log' | 'producer'>,
  sender: PacedSender,
): Promise<void> {
  if (!(await countUnpaced(services.db, sender))) return;
  const accounts = await accountsThatWait(services, sender);
  const { rows } = await sql<PlacedMessage>`
    with placed as (
      select id, row_number() over (partition by workspace_id order by created_at, id) as place
      from email_message
      where email_account_id = any(${accounts}::uuid[])
        and status = 'queued' and kind = 'message' and limited_since is not null)
    update email_message m set next_attempt_at = now(), queued_at = now(), turn_at = null
    from placed where m.id = placed.id and m.status = 'queued' and m.limited_since is not null
    returning m.id, m.kind, ${roundedPlace} as place`.execute(services.db);
  await sendPlaced(services, rows);
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
