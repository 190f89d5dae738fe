import { sql } from 'kysely';
import { emailSend } from '#queues/email-send.ts';
import { emailVerify } from '#queues/email-verify.ts';
import type { EmailServices } from './email-services.ts';
import { sendJobs, type WaitingMessage } from './send-jobs.ts';

/** A message whose job was due longer ago than this, and that still waits, may have lost it. */
const STALE_SECONDS = 15;
/** A job that waits behind a backlog is not lost: its message is as old as the head of the queue. */
const BACKLOG_MARGIN_SECONDS = 15;
/** Of jobs that wait behind others nobody can tell which are lost: the longer one waits, the rarer it is sent again. */
const RESEND_SHARE = 0.5;
const LONGEST_RESEND_SECONDS = 300;
const MAX_MESSAGES_PER_RUN = 2_000;

type ReconcileServices = Pick<EmailServices, 'db' | 'log' | 'producer'>;

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
  await sendAgain(services, {
    waitingSeconds,
    resendShare: RESEND_SHARE,
    abandonedSeconds: STALE_SECONDS,
  });
}

/** What one process does when it starts and knows that no other runs: every claim is that of a dead worker. */
export async function recoverMessages(services: ReconcileServices): Promise<void> {
  await sql`update email_message set claimed_until = now() - interval '1 second'
    where status = 'sending'`.execute(services.db);
  await sendAgain(services, { waitingSeconds: -1, resendShare: 0, abandonedSeconds: -1 });
}

interface Ages {
  waitingSeconds: number;
  /** Of the time for which it has been due. */
  resendShare: number;
  abandonedSeconds: number;
}

/** With a delay, so that the job has no key: one that is stuck in the queue must not swallow it. */
async function sendAgain(services: ReconcileServices, ages: Ages): Promise<void> {
  const late = await takeLate(services, ages);
  for (const [place, messages] of Map.groupBy(late, (message) => message.place)) {
    await sendJobs(services, messages, { delayMs: 1, place });
  }
}

/**
 * `queued_at` is when its job is due: two that take the same message send one job too many. Each comes with its place
 * among those of its workspace, in steps of powers of two: whoever has many waiting does not go before the others.
 */
async function takeLate(
  { db }: ReconcileServices,
  { waitingSeconds, resendShare, abandonedSeconds }: Ages,
): Promise<(WaitingMessage & { place: number })[]> {
  const { rows } = await sql<WaitingMessage & { place: number }>`
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
    returning m.id, m.kind, (2 ^ floor(log(2, placed.place)))::int as place`.execute(db);
  return rows;
}
