import { sql } from 'kysely';
import { emailSend } from '#queues/email-send.ts';
import { emailVerify } from '#queues/email-verify.ts';
import type { EmailServices } from './email-services.ts';
import { type PlacedMessage, roundedPlace, sendPlaced } from './send-jobs.ts';

/** A message that is still waiting this long after its job was due may have lost the job. */
const STALE_SECONDS = 15;
/** A job waiting behind a backlog is not lost: its message is only as late as the head of the queue. */
const BACKLOG_MARGIN_SECONDS = 15;
/**
 * Behind a backlog, lost jobs cannot be told from waiting ones, so the interval between resends grows with the wait.
 */
const RESEND_SHARE = 0.5;
const LONGEST_RESEND_SECONDS = 300;
const MAX_MESSAGES_PER_RUN = 2_000;

type ReconcileServices = Pick<EmailServices, 'db' | 'log' | 'producer'>;

/**
 * Re-enqueues messages that are past due, because the queue may have lost jobs while the rows are durable. A duplicate
 * job is harmless, since it only says "look at this message".
 * @returns how many were sent again
 */
export async function reconcileMessages(
  services: ReconcileServices,
): Promise<Record<'email-verify' | 'email-send', number>> {
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
  return sendAgain(services, {
    waitingSeconds,
    resendShare: RESEND_SHARE,
    abandonedSeconds: STALE_SECONDS,
  });
}

/** For the start of a process that knows that it is the only one: every existing claim belongs to a dead worker. */
export async function recoverMessages(services: ReconcileServices): Promise<void> {
  await sql`update email_message set claimed_until = now() - interval '1 second'
    where status = 'sending'`.execute(services.db);
  await sendAgain(services, { waitingSeconds: -1, resendShare: 0, abandonedSeconds: -1 });
}

interface Ages {
  waitingSeconds: number;
  /** As a share of the time for which the message has been due. */
  resendShare: number;
  abandonedSeconds: number;
}

/** Sends with a delay, which means without a job key: a stuck job with the same key must not suppress the new one. */
async function sendAgain(
  services: ReconcileServices,
  ages: Ages,
): Promise<Record<'email-verify' | 'email-send', number>> {
  const late = await claimOverdue(services, ages);
  await sendPlaced(services, late, { delayMs: 1 });
  const verifications = late.filter(({ kind }) => kind === 'verification').length;
  return { 'email-verify': verifications, 'email-send': late.length - verifications };
}

/**
 * Sets `queued_at`, the time when a job is due, so that a concurrent run sends at most one duplicate job. Each message
 * gets its place among those of its workspace.
 */
async function claimOverdue(
  { db }: ReconcileServices,
  { waitingSeconds, resendShare, abandonedSeconds }: Ages,
): Promise<PlacedMessage[]> {
  const { rows } = await sql<PlacedMessage>`
    with late as materialized (
      select id, workspace_id, queued_at from email_message
      where finished_at is null and (
        status = 'queued' and queued_at < now() - make_interval(secs => ${waitingSeconds}::float8)
          and queued_at <= now() - least(make_interval(secs => ${LONGEST_RESEND_SECONDS}),
            (now() - coalesce(next_attempt_at, created_at)) * ${resendShare}::float8)
          and (next_attempt_at is null or next_attempt_at <= now())
        or status = 'sending' and claimed_until < now()
          and queued_at < now() - make_interval(secs => ${abandonedSeconds}::float8))
      order by queued_at limit ${MAX_MESSAGES_PER_RUN} for update skip locked),
    placed as (
      select id, row_number() over (partition by workspace_id order by queued_at, id) as place
      from late)
    update email_message m set queued_at = now() from placed where m.id = placed.id
    returning m.id, m.kind, ${roundedPlace} as place`.execute(db);
  return rows;
}
