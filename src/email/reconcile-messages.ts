import { sql } from 'kysely';
import { emailSend } from '#queues/email-send.ts';
import { emailVerify } from '#queues/email-verify.ts';
import type { Services } from '#src/services.ts';
import { sendJobs, type WaitingMessage } from './send-jobs.ts';

/** A message whose job was due longer ago than this, and that still waits, may have lost it. */
const STALE_SECONDS = 15;
/** A job that waits behind a backlog is not lost: its message is as old as the head of the queue. */
const BACKLOG_MARGIN_SECONDS = 15;
const MAX_MESSAGES_PER_RUN = 2_000;

type ReconcileServices = Pick<Services, 'db' | 'log' | 'producer'>;

/**
 * Looks at messages that are past due: the queue may have lost everything, the rows have not. One job too many is
 * harmless, since it only says "look at this message".
 */
export async function reconcileMessages(services: ReconcileServices): Promise<void> {
  const { producer } = services;
  const waits = await Promise.all([
    producer.oldestWaitingAgeMs(emailVerify),
    producer.oldestWaitingAgeMs(emailSend),
  ]);
  const backlogSeconds = Math.max(...waits.map((ms) => (ms ?? 0) / 1_000));
  const waitingSeconds =
    backlogSeconds > 0
      ? Math.max(STALE_SECONDS, backlogSeconds + BACKLOG_MARGIN_SECONDS)
      : STALE_SECONDS;
  await sendAgain(services, { waitingSeconds, abandonedSeconds: STALE_SECONDS });
}

/** What one process does when it starts and knows that no other runs: every claim is that of a dead worker. */
export async function recoverMessages(services: ReconcileServices): Promise<void> {
  await sql`update email_message set claimed_until = now() - interval '1 second'
    where status = 'sending'`.execute(services.db);
  await sendAgain(services, { waitingSeconds: -1, abandonedSeconds: -1 });
}

/** With a delay, so that the job has no key: one that is stuck in the queue must not swallow it. */
async function sendAgain(
  services: ReconcileServices,
  ages: { waitingSeconds: number; abandonedSeconds: number },
): Promise<void> {
  const late = await takeLate(services, ages);
  if (late.length > 0) await sendJobs(services, late, { delayMs: 1 });
}

/** `queued_at` is when its job is due: two that take the same message send one job too many. */
async function takeLate(
  { db }: ReconcileServices,
  { waitingSeconds, abandonedSeconds }: { waitingSeconds: number; abandonedSeconds: number },
): Promise<WaitingMessage[]> {
  const { rows } = await sql<WaitingMessage>`
    update email_message set queued_at = now() where id in (
      select id from email_message
      where finished_at is null and (
        status = 'queued' and queued_at < now() - make_interval(secs => ${waitingSeconds})
          and (next_attempt_at is null or next_attempt_at <= now())
        or status = 'sending' and claimed_until < now()
          and queued_at < now() - make_interval(secs => ${abandonedSeconds}))
      order by queued_at limit ${MAX_MESSAGES_PER_RUN})
      and finished_at is null
    returning id, kind`.execute(db);
  return rows;
}
