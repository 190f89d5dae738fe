import { sql } from 'kysely';
import { bouncePoll } from '#queues/bounce-poll.ts';
import type { BounceMailboxId } from '#src/ids.ts';
import type { EmailServices } from '#src/email/email-services.ts';
import { POLLED_PLANS } from './claim-mailbox.ts';

type SendServices = Pick<EmailServices, 'db' | 'producer' | 'log'>;

/** Polls due within this time of each other compete for workers. */
const RUSH_SECONDS = 5;
/** Places beyond this one have the same priority. */
const LAST_PLACE = 1_000;

/** A mailbox still due this long after its job may have lost the job. */
const STALE_SECONDS = 30;
const MAX_MAILBOXES_PER_RUN = 1_000;

/**
 * Sends a job for each mailbox. Call it after the commit, never inside a transaction. `reconcile` resends lost jobs.
 */
export async function sendPolls(
  { db, producer, log }: SendServices,
  ids: readonly BounceMailboxId[],
  delayMs: number,
): Promise<void> {
  try {
    const options = { delayMs: Math.max(1, delayMs) };
    for (const [priority, mailboxes] of Map.groupBy(
      await placesOf(db, ids),
      ({ place }) => place,
    )) {
      const payloads = mailboxes.map(({ id }) => ({ bounceMailboxId: id }));
      await producer.enqueueMany(bouncePoll, payloads, { ...options, priority });
    }
  } catch (error) {
    log.warn({ error: String(error) }, 'bounce-poll not sent: reconcile will send it');
  }
}

/**
 * Fair queueing between workspaces: a mailbox's priority is its place among the mailboxes of its workspace that are
 * being read, or due at about the same time. So the first of one workspace goes before the second of another, however
 * slow the servers of that one are.
 */
async function placesOf(
  db: SendServices['db'],
  ids: readonly BounceMailboxId[],
): Promise<{ id: BounceMailboxId; place: number }[]> {
  const { rows } = await sql<{ id: BounceMailboxId; place: number }>`
    select mine.id, least(${LAST_PLACE}, 1 + count(other.id))::int as place
    from bounce_mailbox mine
    left join bounce_mailbox other on other.workspace_id = mine.workspace_id
      and other.id <> mine.id and (other.claimed_until > now()
        or (other.next_poll_at, other.id) < (mine.next_poll_at, mine.id)
          and (mine.next_poll_at <= now()
            or other.next_poll_at > mine.next_poll_at - make_interval(secs => ${RUSH_SECONDS})))
    where mine.id = any(${ids}::uuid[])
    group by mine.id`.execute(db);
  return rows;
}

/**
 * Resends jobs for overdue mailboxes: the queue lost the job, or the plan of the workspace includes sender accounts
 * again.
 * @returns how many
 */
export async function reconcilePolls(services: SendServices): Promise<number> {
  const { rows } = await sql<{ id: BounceMailboxId }>`
    update bounce_mailbox set queued_at = now() where id in (
      select b.id from bounce_mailbox b join workspace w on w.id = b.workspace_id
      where b.next_poll_at <= now() and w.plan_tier = any(${POLLED_PLANS}::text[])
        and b.queued_at < now() - make_interval(secs => ${STALE_SECONDS})
        and (b.claimed_until is null or b.claimed_until < now())
      order by b.next_poll_at limit ${MAX_MAILBOXES_PER_RUN} for update of b skip locked)
    returning id`.execute(services.db);
  await sendPolls(
    services,
    rows.map(({ id }) => id),
    0,
  );
  return rows.length;
}

/** For the start of a single-process service: every existing claim belongs to a dead worker. */
export async function recoverPolls(services: SendServices): Promise<void> {
  await sql`update bounce_mailbox set claim_token = null, claimed_until = null,
    queued_at = 'epoch' where claimed_until is not null`.execute(services.db);
  await reconcilePolls(services);
}
