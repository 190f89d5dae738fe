import { sql } from 'kysely';
import { Problem } from '#src/platform/errors.ts';
import {
  type BounceMailboxAddress,
  type BounceMailboxRecord,
  findBounceMailbox,
} from '#src/email/bounces/bounce-mailboxes.ts';
import { sendPolls } from '#src/email/bounces/send-polls.ts';
import type { EmailServices } from '#src/email/email-services.ts';

/** Servers may block clients that connect too often. */
const PAUSE_SECONDS = 10;

/**
 * Makes a mailbox due now, or 10 s after the last poll.
 * @throws Problem NOT_FOUND, CONFLICT for a webhook
 */
export async function pollNow(
  services: Pick<EmailServices, 'db' | 'log' | 'producer'>,
  address: BounceMailboxAddress,
): Promise<BounceMailboxRecord> {
  const { db } = services;
  const { workspaceId, id } = address;
  const { kind } = await findBounceMailbox(db, address);
  if (kind === 'webhook') {
    throw new Problem('CONFLICT', 'A webhook is not polled: the provider posts to it.');
  }
  const { rows } = await sql<{ wait_ms: number }>`
    update bounce_mailbox set queued_at = due.at, next_poll_at = due.at
    from (select greatest(now(), last_polled_at + make_interval(secs => ${PAUSE_SECONDS})) as at
      from bounce_mailbox where workspace_id = ${workspaceId} and id = ${id}) due
    where workspace_id = ${workspaceId} and id = ${id}
    returning (extract(epoch from due.at - now()) * 1000)::float8 as wait_ms`.execute(db);
  const [due] = rows;
  if (due) await sendPolls(services, [id], due.wait_ms);
  return findBounceMailbox(db, address);
}
