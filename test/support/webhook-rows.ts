import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import type { WebhookAttemptOutcome, WebhookDeliveryStatus } from '#src/tables/webhooks.ts';
import { emitEvents, sendDeliveries } from '#src/webhooks/emit-event.ts';
import { makeSecret } from '#src/webhooks/sign.ts';

/** An inserted endpoint and its secret in display form. */
export interface InsertedEndpoint {
  id: WebhookEndpointId;
  secret: string;
}

export async function insertEndpoint(
  { db, secrets }: Pick<Services, 'db' | 'secrets'>,
  workspaceId: WorkspaceId,
  url: string,
  columns: { event_types?: string[]; rate_limit?: number } = {},
): Promise<InsertedEndpoint> {
  const id = randomUUID() as WebhookEndpointId; // id of a new row
  const secret = makeSecret();
  await db
    .insertInto('webhook_endpoint')
    .values({
      id,
      workspace_id: workspaceId,
      url,
      secret: secrets.seal(secret, `webhook_endpoint:${id}`),
      ...columns,
    })
    .execute();
  return { id, secret };
}

/** Pings for one endpoint, written but not sent. */
export async function writePings(
  { db }: Pick<Services, 'db'>,
  workspaceId: WorkspaceId,
  onlyTo: WebhookEndpointId,
  count: number = 1,
): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => ({
    type: 'ping' as const,
    data: { endpoint_id: onlyTo, message: `Grüße ${index} 🚀` },
    workspaceId,
    at: new Date(),
    onlyTo,
  }));
  await db.transaction().execute((trx) => emitEvents(trx, events));
}

export async function sendPings(
  services: Pick<Services, 'db' | 'producer' | 'log'>,
  workspaceId: WorkspaceId,
  onlyTo: WebhookEndpointId,
  count: number = 1,
): Promise<void> {
  await writePings(services, workspaceId, onlyTo, count);
  await sendDeliveries(services, [onlyTo]);
}

export interface DeliveryRow {
  status: WebhookDeliveryStatus;
  attempts: number;
  round: number;
  round_attempts: number;
  own_outages: number;
  last_status_code: number | null;
  error: string | null;
  /** Seconds from the end of the last attempt to the next one. */
  waits_seconds: number | null;
}

export interface AttemptRow {
  outcome: WebhookAttemptOutcome;
  counts: boolean;
  status_code: number | null;
  error_class: string | null;
  error: string | null;
  answer: string | null;
  duration_ms: number;
}

/** The deliveries to an endpoint, oldest first. */
export async function deliveriesTo(
  { db }: Pick<Services, 'db'>,
  id: WebhookEndpointId,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select status, attempts, round, round_attempts, own_outages, last_status_code, error,
      extract(epoch from next_attempt_at - (
        select max(started_at + make_interval(secs => duration_ms / 1000.0)) from webhook_attempt a
        where a.webhook_delivery_id = d.id))::float8 as waits_seconds
    from webhook_delivery d where webhook_endpoint_id = ${id} order by id`.execute(db);
  return rows;
}

/** The attempts of all deliveries to an endpoint, oldest first. */
export async function attemptsTo(
  { db }: Pick<Services, 'db'>,
  id: WebhookEndpointId,
): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select a.outcome, a.counts, a.status_code, a.error_class, a.error, a.answer, a.duration_ms
    from webhook_attempt a join webhook_delivery d on d.id = a.webhook_delivery_id
    where d.webhook_endpoint_id = ${id} order by a.id`.execute(db);
  return rows;
}

/** Moves everything planned for an endpoint that far into the past. */
export async function shiftIntoPast(
  { db }: Pick<Services, 'db'>,
  id: WebhookEndpointId,
  hours: number,
): Promise<void> {
  const span = sql`make_interval(hours => ${hours}::int)`;
  await sql`update webhook_delivery set next_attempt_at = next_attempt_at - ${span}
    where webhook_endpoint_id = ${id} and next_attempt_at is not null`.execute(db);
  await sql`update webhook_endpoint set breaker_until = breaker_until - ${span},
      paced_until = paced_until - ${span}, wake_at = wake_at - ${span},
      failing_since = failing_since - ${span}, last_success_at = last_success_at - ${span}
    where id = ${id}`.execute(db);
}
