import { sql } from 'kysely';
import { leadScrape } from '#queues/lead-scrape.ts';
import type { LeadScrapeId } from '#src/ids.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import { sendScrape } from './start-scrape.ts';

/** If a job was sent longer ago than this and is no longer waiting in the queue, it is lost. */
const STALE_MS = 15_000;
/** A job that waits behind a backlog is not lost: its row is as old as the head of the queue. */
const BACKLOG_MARGIN_MS = 30_000;
/**
 * Lost jobs cannot be told from jobs that wait behind others: the longer one has waited, the more rarely it is sent
 * again.
 */
const RESEND_SHARE = 0.5;
const LONGEST_RESEND_SECONDS = 300;
const MAX_SCRAPES_PER_RUN = 500;

type ReconcileServices = Pick<LeadServices, 'db' | 'log' | 'producer'>;

/**
 * Sends jobs again for scrapes whose job or worker was lost. An extra job only looks at the row.
 * @returns how many were sent again
 */
export async function reconcileScrapes(services: ReconcileServices): Promise<number> {
  const oldest = await services.producer.oldestWaitingAgeMs(leadScrape);
  const staleMs = oldest === null ? STALE_MS : Math.max(STALE_MS, oldest + BACKLOG_MARGIN_MS);
  return sendLost(services, { staleMs, resendShare: RESEND_SHARE });
}

/** For a process that starts and knows that no other runs: every claim belongs to a dead worker. */
export async function recoverScrapes(services: ReconcileServices): Promise<void> {
  await sql`update lead_scrape set claimed_until = now() - interval '1 second'
    where claimed_until is not null and finished_at is null`.execute(services.db);
  await sendLost(services, { staleMs: -1, resendShare: 0 });
}

/**
 * A scrape whose worker died is not behind the backlog, so it only has to be older than `STALE_MS`. Each has the
 * priority of its place in its workspace: a workspace with many waiting scrapes does not overtake the others.
 * @param ages `resendShare`: of the time since a scrape became due, the share for which its last job is left alone
 */
async function sendLost(
  services: ReconcileServices,
  { staleMs, resendShare }: { staleMs: number; resendShare: number },
): Promise<number> {
  const { rows } = await sql<{ id: LeadScrapeId; request_id: string | null; place: number }>`
    with lost as materialized (
      select id, workspace_id, claimed_until, created_at from lead_scrape
      where finished_at is null
        and (next_attempt_at is null or next_attempt_at < now() - interval '2 seconds')
        and (claimed_until is null
            and queued_at < now() - make_interval(secs => ${staleMs / 1_000}::float8)
            and queued_at <= now() - least(make_interval(secs => ${LONGEST_RESEND_SECONDS}),
              (now() - coalesce(next_attempt_at, created_at)) * ${resendShare}::float8)
          or claimed_until < now()
            and queued_at < now() - make_interval(secs => ${Math.min(staleMs, STALE_MS) / 1_000}::float8))
      order by queued_at limit ${MAX_SCRAPES_PER_RUN} for update skip locked),
    placed as (
      select id, (row_number() over (partition by workspace_id
        order by claimed_until is null, created_at, id))::int as place
      from lost)
    update lead_scrape s set queued_at = now() from placed where s.id = placed.id
    returning s.id, s.request_id, placed.place`.execute(services.db);
  for (const { id, request_id: requestId, place } of rows) {
    // Jobs with a delay have no key: a job stuck in the queue must not swallow this one.
    await sendScrape(services, id, { requestId, place, delayMs: 1 });
  }
  return rows.length;
}
