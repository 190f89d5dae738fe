import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { insertEndpoint } from './webhook-rows.ts';

/** Endpoints, events, deliveries and attempts. Nothing is due, so no worker changes a row. */
export interface SeededWebhooks {
  /** Enabled. */
  endpointId: string;
  disabledEndpointId: string;
  eventId: string;
  /** The delivery of that event to that endpoint; it waits for its next attempt. */
  deliveryId: number;
}

type Store = Pick<Services, 'db' | 'secrets'>;

interface Owner {
  workspaceId: WorkspaceId;
  /** Appears in every text. */
  marker: string;
}

export async function seedWebhooks(services: Store, owner: Owner): Promise<SeededWebhooks> {
  const { db } = services;
  const { marker } = owner;
  // Nothing listens there, and the guard would block the call.
  const open = (path: string) =>
    insertEndpoint(services, owner.workspaceId, `https://127.0.0.1:9/${marker}/${path}`);
  const { id: endpointId } = await open('enabled');
  const { id: disabledEndpointId } = await open('disabled');
  await sql`update webhook_endpoint set description = ${`Endpoint of ${marker}`},
      previous_secret = secret, previous_secret_until = now() + interval '1 day'
    where id = ${endpointId}`.execute(db);
  await sql`update webhook_endpoint set enabled = false, disabled_at = now(),
      disabled_reason = ${`${marker} is gone.`}
    where id = ${disabledEndpointId}`.execute(db);

  const eventId = await insertEvent(services, owner);
  const insert = (to: WebhookEndpointId, about: string, status: Status) =>
    insertDelivery(services, owner, { endpointId: to, eventId: about, status });
  const deliveryId = await insert(endpointId, eventId, 'waiting');
  await insert(disabledEndpointId, eventId, 'canceled');
  await insert(endpointId, await insertEvent(services, owner), 'exhausted');
  return { endpointId, disabledEndpointId, eventId, deliveryId };
}

async function insertEvent({ db }: Store, { workspaceId, marker }: Owner): Promise<string> {
  const id = `evt_${randomUUID().replaceAll('-', '')}`;
  const type = 'lead_scrape.completed';
  const data = { scrape_id: marker, status: 'done', total_results: 1, processing_time_ms: 1 };
  const payload = JSON.stringify({ id, type, timestamp: new Date().toISOString(), data });
  await sql`insert into webhook_event (id, workspace_id, type, payload, dedupe_key)
    values (${id}, ${workspaceId}, ${type}, ${payload}, ${`${marker} ${id}`})`.execute(db);
  return id;
}

type Status = 'waiting' | 'canceled' | 'exhausted';

async function insertDelivery(
  { db }: Store,
  { workspaceId, marker }: Owner,
  delivery: { endpointId: WebhookEndpointId; eventId: string; status: Status },
): Promise<number> {
  const { endpointId, eventId, status } = delivery;
  const isWaiting = status === 'waiting';
  const { rows } = await sql<{ id: number }>`
    with made as (
      insert into webhook_delivery (workspace_id, webhook_endpoint_id, webhook_event_id, event_type,
        status, attempts, round_attempts, next_attempt_at, last_status_code, error, finished_at)
      values (${workspaceId}, ${endpointId}, ${eventId}, 'lead_scrape.completed', ${status}, 1, 1,
        ${isWaiting ? sql`now() + interval '20 hours'` : null}, 500, ${`${marker} is broken.`},
        ${isWaiting ? null : sql`now()`}) returning id)
    insert into webhook_attempt (workspace_id, webhook_delivery_id, round, outcome, counts,
      status_code, error_class, error, answer, duration_ms, started_at)
    select ${workspaceId}::uuid, id, 1, 'failed', true, 500, 'status', ${`${marker} is broken.`},
      ${`Answer of ${marker}`}, 12, now() from made
    returning webhook_delivery_id as id`.execute(db);
  return rows[0]?.id ?? 0;
}
