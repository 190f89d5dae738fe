import { sql } from 'kysely';
import { expect } from 'vitest';
import { webhookDeliver } from '#queues/webhook-deliver.ts';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { HttpClient } from '#src/platform/http.ts';
import type { Services } from '#src/services.ts';
import type { WebhookDeliveryStatus } from '#src/tables/webhooks.ts';
import { deliverToEndpoint, type DeliverServices } from '#src/webhooks/deliver-to-endpoint.ts';
import { emitEvents, type ToDeliver } from '#src/webhooks/emit-event.ts';
import type { ServiceProcess } from './child-process.ts';
import { until } from './until.ts';
import type { ReceivedRequest, WebhookReceiver } from './webhook-receiver.ts';

export type Statuses = Partial<Record<WebhookDeliveryStatus, number>>;

/** Number of deliveries per status, of one endpoint or of all. */
export async function statusesOf(db: Database, id?: WebhookEndpointId): Promise<Statuses> {
  const { rows } = await sql<{ status: WebhookDeliveryStatus; count: number }>`
    select status, count(*)::int as count from webhook_delivery
    where webhook_endpoint_id = ${id ?? null} or ${id === undefined}::boolean
    group by status`.execute(db);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** The columns of an endpoint that its lanes write. */
interface EndpointState {
  enabled: boolean;
  disabled_reason: string | null;
  claim_token: string | null;
  failing_since: Date | null;
  last_success_at: Date | null;
  failures: number;
  breaker_trips: number;
  breaker_until: Date | null;
  /** Seconds from now; null when nothing is planned. */
  wakes_in_seconds: number | null;
  open_for_seconds: number | null;
}

export async function endpointState(db: Database, id: WebhookEndpointId): Promise<EndpointState> {
  const { rows } = await sql<EndpointState>`
    select enabled, disabled_reason, claim_token, failing_since, last_success_at, failures,
      breaker_trips, breaker_until, extract(epoch from wake_at - now())::float8 as wakes_in_seconds,
      extract(epoch from breaker_until - now())::float8 as open_for_seconds
    from webhook_endpoint where id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The endpoint does not exist.');
  return row;
}

/** Expires the lease of the current holder, as after a long silence of its worker. */
export async function expireLease(db: Database, id: WebhookEndpointId): Promise<void> {
  await sql`update webhook_endpoint set claimed_until = now() - interval '1 second'
    where id = ${id}`.execute(db);
}

/** Gives the endpoint to another worker for a long time. */
export async function takeLeaseAway(db: Database, id: WebhookEndpointId): Promise<void> {
  await sql`update webhook_endpoint set claim_token = 'another worker',
    claimed_until = now() + interval '1 hour' where id = ${id}`.execute(db);
}

/** The state left by a worker that was killed while sending everything due; its lease has expired. */
export async function abandonDeliveries(db: Database, id: WebhookEndpointId): Promise<void> {
  await sql`update webhook_delivery set status = 'delivering', claim_token = 'dead'
    where webhook_endpoint_id = ${id} and status in ('pending', 'waiting')`.execute(db);
  await sql`update webhook_endpoint set claim_token = 'dead',
    claimed_until = now() - interval '1 second' where id = ${id}`.execute(db);
}

/** Makes everything that waits due now. */
export async function makeDue(db: Database, id: WebhookEndpointId): Promise<void> {
  await sql`update webhook_delivery set next_attempt_at = now()
    where webhook_endpoint_id = ${id} and status in ('pending', 'waiting')`.execute(db);
  await sql`update webhook_endpoint set breaker_until = now() where id = ${id}
    and breaker_until is not null`.execute(db);
}

/** Does what a job does. */
export function runJob(
  services: DeliverServices,
  id: WebhookEndpointId,
  signal: AbortSignal = new AbortController().signal,
): ReturnType<typeof deliverToEndpoint> {
  return deliverToEndpoint(services, id, signal);
}

export async function delayedJobs({ producer }: Pick<Services, 'producer'>): Promise<number> {
  return (await producer.counts(webhookDeliver))['delayed'] ?? 0;
}

/** Writes events for every endpoint of the workspace in one transaction, without notifying anyone. */
export async function writeEvents(
  { db }: Pick<Services, 'db'>,
  workspaceId: WorkspaceId,
  count: number,
): Promise<ToDeliver> {
  const events = Array.from({ length: count }, (_, index) => ({
    type: 'email_account.verified' as const,
    data: { email_account_id: String(index), email: `äö-${index}@example.com` },
    workspaceId,
    at: new Date(),
  }));
  return db.transaction().execute((trx) => emitEvents(trx, events));
}

/** Blocks requests at a gate, before they reach the receiver or after they return from it. */
export interface GatedHttp {
  readonly http: HttpClient;
  /** Number of requests that have reached the gate. */
  readonly arrived: number;
  open(): void;
}

export function gateHttp(http: HttpClient, place: 'before' | 'after'): GatedHttp {
  const gate = Promise.withResolvers<void>();
  let arrived = 0;
  const atGate = async (signal: AbortSignal): Promise<void> => {
    arrived += 1;
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
    await Promise.race([gate.promise, aborted.promise]);
  };
  return {
    http: {
      guard: http.guard,
      async send(request) {
        if (place === 'before') await atGate(request.signal);
        const answer = await http.send(request);
        if (place === 'after') await atGate(request.signal);
        return answer;
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    get arrived() {
      return arrived;
    },
    open: () => gate.resolve(),
  };
}

/** The `webhook-id` of requests, in the order of arrival. */
export function webhookIds(requests: readonly ReceivedRequest[]): string[] {
  return requests.map(({ headers }) => String(headers['webhook-id']));
}

export async function received(
  receiver: WebhookReceiver,
  path: string,
  count: number,
  timeoutMs?: number,
): Promise<void> {
  await until(() => Promise.resolve(receiver.requestsTo(path).length >= count), timeoutMs, 5);
}

const LONG_WAIT = sql.raw(`interval '20 seconds'`);

/** Waits until every delivery has ended; retries planned in more than 20 s become due at once. */
export async function deliveriesSettled(db: Database, timeoutMs: number): Promise<void> {
  await until(
    async () => {
      try {
        await sql`update webhook_delivery set next_attempt_at = now()
          where status = 'waiting' and next_attempt_at > now() + ${LONG_WAIT}`.execute(db);
        await sql`update webhook_endpoint set breaker_until = now()
          where breaker_until > now() + ${LONG_WAIT}`.execute(db);
        const { delivered = 0, exhausted = 0, ...unfinished } = await statusesOf(db);
        return delivered + exhausted > 0 && Object.keys(unfinished).length === 0;
      } catch {
        return false;
      }
    },
    timeoutMs,
    200,
  );
}

interface LedgerOfDelivery {
  url: string;
  event_id: string;
  payload: string;
  status: WebhookDeliveryStatus;
  attempts: number;
  delivered: number;
  failed: number;
  interrupted: number;
}

/**
 * Compares the ledger of every delivery with what its receiver saw: each arrived at least once, always with the same
 * bytes, and each post has its line. Receivers are distinguished by path.
 * @param receiver the one behind all endpoints
 * @returns number of posts that repeated one answered with 2xx or not at all
 */
export async function expectTrueLedger(db: Database, receiver: WebhookReceiver): Promise<number> {
  const { rows } = await sql<LedgerOfDelivery>`
    select e.url, d.webhook_event_id as event_id, v.payload, d.status, d.attempts,
      count(*) filter (where a.outcome = 'delivered')::int as delivered,
      count(*) filter (where a.outcome = 'failed')::int as failed,
      count(*) filter (where a.outcome = 'interrupted')::int as interrupted
    from webhook_delivery d join webhook_endpoint e on e.id = d.webhook_endpoint_id
    join webhook_event v on v.id = d.webhook_event_id
    left join webhook_attempt a on a.webhook_delivery_id = d.id
    group by 1, 2, 3, 4, 5`.execute(db);
  const posts = Map.groupBy(receiver.requests, ({ path, headers }) =>
    [path, headers['webhook-id']].join(' '),
  );
  const wrong: unknown[] = [];
  let repeated = 0;
  for (const delivery of rows) {
    const { delivered, failed, interrupted, status } = delivery;
    const seen = posts.get(`${new URL(delivery.url).pathname} ${delivery.event_id}`) ?? [];
    const isTrue =
      (status === 'delivered' ? delivered >= 1 : status === 'exhausted') &&
      seen.length >= Math.max(1, delivered + failed) &&
      seen.length <= delivered + failed + interrupted &&
      delivery.attempts >= 1 &&
      delivery.attempts <= delivered + failed &&
      seen.every(({ body }) => body.equals(Buffer.from(delivery.payload)));
    if (!isTrue) wrong.push({ ...delivery, seen: seen.length });
    repeated += Math.max(0, seen.length - failed - 1);
  }
  expect(wrong).toEqual([]);
  expect(rows.length).toBe(posts.size);
  return repeated;
}

/** Kills these processes at a moment when deliveries are in progress. @returns how many were */
export async function killWhileDelivering(
  workers: readonly ServiceProcess[],
  db: Database,
): Promise<number> {
  let held = 0;
  await until(
    async () => {
      // While stopped, they neither finish nor claim deliveries.
      for (const worker of workers) worker.signal('SIGSTOP');
      held = (await statusesOf(db)).delivering ?? 0;
      if (held === 0) for (const worker of workers) worker.signal('SIGCONT');
      return held > 0;
    },
    60_000,
    10,
  );
  for (const worker of workers) await worker.kill();
  return held;
}
