import { sql } from 'kysely';
import type { WebhookEndpointId } from '#src/ids.ts';
import type { WebhookServices } from './webhook-services.ts';
import { LOST_WORKER } from './claim-endpoint.ts';
import { sendDeliveries } from './emit-event.ts';

/** An endpoint that still has something due may have lost its job if that was sent longer ago than this. */
const STALE_SECONDS = 15;
/** Due for this long and not started: the job did not arrive. */
const LATE_SECONDS = 2;
/** After this time an endpoint goes before all others, whatever its breaker did. */
const VERY_LATE_SECONDS = 60;
const MAX_ENDPOINTS_PER_RUN = 2_000;
const MAX_CANCELED_PER_RUN = 5_000;

interface LateEndpoint {
  id: WebhookEndpointId;
  is_very_late: boolean;
}

type ReconcileServices = Pick<WebhookServices, 'db' | 'log' | 'producer'>;

/**
 * Looks for endpoints with overdue deliveries: the queue may have lost everything, but the rows remain. An extra job is
 * harmless, because it only says "look at this endpoint".
 * @returns how many endpoints were sent again
 */
export async function reconcileWebhooks(services: ReconcileServices): Promise<number> {
  await cancelOrphaned(services);
  const late = await claimOverdue(services, STALE_SECONDS, LATE_SECONDS);
  const isVeryLate = late.filter((endpoint) => endpoint.is_very_late);
  await sendAgain(
    services,
    late.filter((endpoint) => !endpoint.is_very_late),
    false,
  );
  await sendAgain(services, isVeryLate, true);
  return late.length;
}

/**
 * An event emitted while its endpoint was being disabled or deleted may have missed the cancellation, and a worker that
 * was sending then may have died.
 */
async function cancelOrphaned({ db }: ReconcileServices): Promise<void> {
  await sql`
    with late as (
      select d.* from (select id, claimed_until from webhook_endpoint
        where not enabled or deleted_at is not null) e
      cross join lateral (
        select id, workspace_id, round, status from webhook_delivery
        where webhook_endpoint_id = e.id and next_attempt_at is not null
          and (status <> 'delivering' or e.claimed_until is null or e.claimed_until < now())
        limit ${MAX_CANCELED_PER_RUN} for update skip locked) d
      limit ${MAX_CANCELED_PER_RUN}
    ), canceled as (
      update webhook_delivery d set status = 'canceled', finished_at = now(),
        next_attempt_at = null, claim_token = null, error = 'The endpoint was disabled or deleted.'
      from late where d.id = late.id
    )
    insert into webhook_attempt (workspace_id, webhook_delivery_id, round, outcome, counts,
      error_class, error, duration_ms, started_at)
    select workspace_id, id, round, 'interrupted', false, 'interrupted', ${LOST_WORKER}, 0, now()
    from late where status = 'delivering'`.execute(db);
}

/** For a process that starts and knows that no other runs: every claim is that of a dead worker. */
export async function recoverWebhooks(services: ReconcileServices): Promise<void> {
  await sql`update webhook_endpoint set claimed_until = now() - interval '1 second'
    where claimed_until is not null`.execute(services.db);
  await sendAgain(services, await claimOverdue(services, -1, 0), false);
}

/** The delay leaves the job without a key, so that a job stuck in the queue cannot swallow it. */
async function sendAgain(
  services: ReconcileServices,
  endpoints: readonly LateEndpoint[],
  isLate: boolean,
): Promise<void> {
  await sendDeliveries(
    services,
    endpoints.map(({ id }) => id),
    { delayMs: 1, isLate },
  );
}

/**
 * Takes no lock before the update (see `claimEndpoints`): two processes that take the same endpoint send one job too
 * many.
 */
async function claimOverdue(
  { db }: ReconcileServices,
  staleSeconds: number,
  lateSeconds: number,
): Promise<LateEndpoint[]> {
  const { rows } = await sql<LateEndpoint>`
    update webhook_endpoint set queued_at = now() where id in (
      select e.id from webhook_endpoint e
      where e.enabled and e.deleted_at is null
        and e.queued_at < now() - make_interval(secs => ${staleSeconds})
        and (e.claimed_until is null or e.claimed_until < now())
        and (e.breaker_until is null or e.breaker_until < now())
        and (e.paced_until is null or e.paced_until < now())
        and (e.claimed_until is not null or exists (
          select 1 from webhook_delivery d where d.webhook_endpoint_id = e.id
            and d.status in ('pending', 'waiting')
            and d.next_attempt_at < now() - make_interval(secs => ${lateSeconds})))
      order by e.queued_at limit ${MAX_ENDPOINTS_PER_RUN})
    returning id, exists (select 1 from webhook_delivery d
      where d.webhook_endpoint_id = webhook_endpoint.id and d.status in ('pending', 'waiting')
        and d.next_attempt_at < now() - make_interval(secs => ${VERY_LATE_SECONDS})) as is_very_late`.execute(
    db,
  );
  return rows;
}
