import { sql } from 'kysely';
import { webhookDeliver } from '#queues/webhook-deliver.ts';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { HttpClient } from '#src/platform/http.ts';
import type { Services } from '#src/services.ts';
import type { WebhookDeliveryStatus } from '#src/tables.ts';
import { deliverToEndpoint, type DeliverServices } from '#src/webhooks/deliver-to-endpoint.ts';
import { emitEvents, type ToDeliver } from '#src/webhooks/emit-event.ts';
import { until } from './until.ts';
import type { ReceivedRequest, WebhookReceiver } from './webhook-receiver.ts';

export type Statuses = Partial<Record<WebhookDeliveryStatus, number>>;

/** How many deliveries are in each state; of one endpoint, or of all. */
export async function statusesOf(db: Database, id?: WebhookEndpointId): Promise<Statuses> {
  const { rows } = await sql<{ status: WebhookDeliveryStatus; count: number }>`
    select status, count(*)::int as count from webhook_delivery
    where webhook_endpoint_id = ${id ?? null} or ${id === undefined}::boolean
    group by status`.execute(db);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Of an endpoint's row, what its lanes write. */
interface EndpointState {
  enabled: boolean;
  disabled_reason: string | null;
  claim_token: string | null;
  failing_since: Date | null;
  last_success_at: Date | null;
  failures: number;
  breaker_trips: number;
  breaker_until: Date | null;
  /** From now; null when nothing is planned. */
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
  if (!row) throw new Error('There is no such endpoint.');
  return row;
}

/** Ends the lease of whoever holds the endpoint, as if its worker had been silent for long. */
export async function expireLease(db: Database, id: WebhookEndpointId): Promise<void> {
  await sql`update webhook_endpoint set claimed_until = now() - interval '1 second'
    where id = ${id}`.execute(db);
}

/** Another worker has the endpoint, for a long time. */
export async function takeLeaseAway(db: Database, id: WebhookEndpointId): Promise<void> {
  await sql`update webhook_endpoint set claim_token = 'another worker',
    claimed_until = now() + interval '1 hour' where id = ${id}`.execute(db);
}

/** What a worker leaves behind that was killed while it sent all that was due; its lease is over. */
export async function abandonDeliveries(db: Database, id: WebhookEndpointId): Promise<void> {
  await sql`update webhook_delivery set status = 'delivering', claim_token = 'dead'
    where webhook_endpoint_id = ${id} and status in ('pending', 'waiting')`.execute(db);
  await sql`update webhook_endpoint set claim_token = 'dead',
    claimed_until = now() - interval '1 second' where id = ${id}`.execute(db);
}

/** All that waits is due now. */
export async function makeDue(db: Database, id: WebhookEndpointId): Promise<void> {
  await sql`update webhook_delivery set next_attempt_at = now()
    where webhook_endpoint_id = ${id} and status in ('pending', 'waiting')`.execute(db);
  await sql`update webhook_endpoint set breaker_until = now() where id = ${id}
    and breaker_until is not null`.execute(db);
}

/** What a job does. */
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

/** Events that every endpoint of the workspace gets, written in one transaction. Nobody is told. */
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

/** Stops at a gate on the way to the receiver, or on the way back from it. */
export interface GatedHttp {
  readonly http: HttpClient;
  /** How many have come to the gate. */
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
