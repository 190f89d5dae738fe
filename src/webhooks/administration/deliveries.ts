import { type RawBuilder, sql } from 'kysely';
import type {
  WebhookDeliveryId,
  WebhookEndpointId,
  WebhookEventId,
  WorkspaceId,
} from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { WebhookAttemptOutcome, WebhookDeliveryStatus } from '#src/tables/webhooks.ts';
import { type DeliveriesQuery, encodeDeliveryCursor } from './lookup-query.ts';
import { unknownDelivery } from './path-ids.ts';

/** Only the latest attempts of a delivery matter. */
const MAX_ATTEMPTS_SHOWN = 1_000;

export interface DeliveryAddress {
  workspaceId: WorkspaceId;
  id: WebhookDeliveryId;
}

export interface DeliveryRecord {
  id: WebhookDeliveryId;
  webhook_event_id: WebhookEventId;
  webhook_endpoint_id: WebhookEndpointId;
  event_type: string;
  status: WebhookDeliveryStatus;
  attempts: number;
  round: number;
  next_attempt_at: Date | null;
  last_status_code: number | null;
  error: string | null;
  created_at: Date;
  delivered_at: Date | null;
  finished_at: Date | null;
}

const DELIVERY = sql.raw(`id, webhook_event_id, webhook_endpoint_id, event_type, status, attempts,
  round, next_attempt_at, last_status_code, error, created_at, delivered_at, finished_at`);

/** Newest first, including deliveries of deleted endpoints. */
export async function listDeliveries(
  db: Database,
  workspaceId: WorkspaceId,
  query: DeliveriesQuery,
): Promise<{ deliveries: DeliveryRecord[]; nextCursor: string | null }> {
  const conditions = [
    sql`workspace_id = ${workspaceId}`,
    query.endpoint_id && sql`webhook_endpoint_id = ${query.endpoint_id}`,
    query.event_id !== undefined && sql`webhook_event_id = ${query.event_id}`,
    query.event_type && sql`event_type = ${query.event_type}`,
    query.status && sql`status = ${query.status}`,
    query.since && sql`created_at >= ${query.since.toISOString()}::timestamptz`,
    query.until && sql`created_at < ${query.until.toISOString()}::timestamptz`,
    query.cursor !== undefined && sql`id < ${query.cursor}`,
  ].filter((one): one is RawBuilder<unknown> => typeof one === 'object');
  // One more row than requested shows whether there is a next page.
  const { rows } = await sql<DeliveryRecord>`
    select ${DELIVERY} from webhook_delivery where ${sql.join(conditions, sql` and `)}
    order by id desc limit ${query.limit + 1}`.execute(db);
  const deliveries = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? deliveries.at(-1) : undefined;
  return { deliveries, nextCursor: last ? encodeDeliveryCursor(last.id) : null };
}

/** All deliveries of an event, by endpoint. */
export async function deliveriesOfEvent(
  db: Database,
  workspaceId: WorkspaceId,
  eventId: WebhookEventId,
): Promise<DeliveryRecord[]> {
  const { rows } = await sql<DeliveryRecord>`
    select ${DELIVERY} from webhook_delivery
    where workspace_id = ${workspaceId} and webhook_event_id = ${eventId} order by id`.execute(db);
  return rows;
}

/** @throws Problem NOT_FOUND */
export async function findDelivery(
  db: Database | DatabaseTransaction,
  { workspaceId, id }: DeliveryAddress,
): Promise<DeliveryRecord> {
  const { rows } = await sql<DeliveryRecord>`
    select ${DELIVERY} from webhook_delivery
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db);
  const [found] = rows;
  if (!found) throw unknownDelivery(id);
  return found;
}

export interface AttemptRecord {
  id: number;
  round: number;
  outcome: WebhookAttemptOutcome;
  counts: boolean;
  status_code: number | null;
  error_class: string | null;
  error: string | null;
  answer: string | null;
  duration_ms: number;
  started_at: Date;
}

/** The latest 1,000, oldest first. @throws Problem NOT_FOUND */
export async function listAttempts(
  db: Database,
  address: DeliveryAddress,
): Promise<AttemptRecord[]> {
  const { id } = await findDelivery(db, address);
  const rows = await db
    .selectFrom('webhook_attempt')
    .select(['id', 'round', 'outcome', 'counts', 'status_code', 'error_class', 'error'])
    .select(['answer', 'duration_ms', 'started_at'])
    .where('webhook_delivery_id', '=', id)
    .where('workspace_id', '=', address.workspaceId)
    .orderBy('id', 'desc')
    .limit(MAX_ATTEMPTS_SHOWN)
    .execute();
  return rows.toReversed();
}
