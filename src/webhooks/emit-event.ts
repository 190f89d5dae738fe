import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { webhookDeliver } from '#queues/webhook-deliver.ts';
import type { WebhookEndpointId, WebhookEventId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { WebhookServices } from './webhook-services.ts';
import { LISTENER_TYPES, OPT_IN_TYPES, type WebhookEvent } from './event-types.ts';

export type { WebhookEvent } from './event-types.ts';

/** An event and its workspace. */
export type EventToEmit = WebhookEvent & {
  workspaceId: WorkspaceId;
  at: Date;
  /** The workspace has at most one event with this key; a second one is dropped. */
  dedupeKey?: string;
  /** Only this endpoint gets it, whatever its filter. */
  onlyTo?: WebhookEndpointId;
};

/** Endpoints with something new to send: pass them to `sendDeliveries` after the commit. */
export type ToDeliver = readonly WebhookEndpointId[];

/**
 * Writes events, and a delivery for each endpoint that wants them, in the caller's transaction, so that they exist if
 * and only if the change they report does. Frequent types are stored only if an endpoint wants them.
 */
export async function emitEvents(
  trx: DatabaseTransaction,
  events: readonly EventToEmit[],
): Promise<ToDeliver> {
  if (events.length === 0) return [];
  const { rows } = await sql<{ id: WebhookEndpointId }>`
    with incoming as (
      select * from json_to_recordset(${JSON.stringify(events.map(rowOf))}::json) as x(
        id text, workspace_id uuid, type text, payload text, dedupe_key text, opt_in boolean,
        for_listeners boolean, only_to uuid)
    ), stored as (
      insert into webhook_event (id, workspace_id, type, payload, dedupe_key)
      select id, workspace_id, type, payload, dedupe_key from incoming i
      where not for_listeners or exists (select 1 from webhook_endpoint e
        where e.workspace_id = i.workspace_id and e.deleted_at is null
          and (i.type = any(e.event_types) or e.event_types is null and not i.opt_in))
      on conflict (workspace_id, dedupe_key) where dedupe_key is not null do nothing
      returning id
    ), made as (
      insert into webhook_delivery (workspace_id, webhook_endpoint_id, webhook_event_id, event_type)
      select i.workspace_id, e.id, i.id, i.type
      from incoming i join stored using (id)
      join webhook_endpoint e on e.workspace_id = i.workspace_id and e.enabled
        and e.deleted_at is null
        and case when i.only_to is not null then e.id = i.only_to
          else i.type = any(e.event_types) or e.event_types is null and not i.opt_in end
      returning webhook_endpoint_id
    )
    select distinct webhook_endpoint_id as id from made`.execute(trx);
  return rows.map(({ id }) => id);
}

/** The envelope is serialized here, once: every attempt signs and sends these exact bytes. */
function rowOf({ workspaceId, type, data, at, dedupeKey, onlyTo }: EventToEmit) {
  const id = `evt_${randomUUID().replaceAll('-', '')}` as WebhookEventId; // a new row's id is branded where it is made
  return {
    id,
    workspace_id: workspaceId,
    type,
    payload: JSON.stringify({ id, type, timestamp: at.toISOString(), data }),
    dedupe_key: dedupeKey ?? null,
    opt_in: OPT_IN_TYPES.includes(type),
    for_listeners: LISTENER_TYPES.includes(type),
    only_to: onlyTo ?? null,
  };
}

/** A tripped endpoint ranks after the first healthy ones, and a little lower with each trip. */
const TRIPPED_PRIORITY = 20;
const MAX_TRIPS_COUNTED = 10;

/**
 * Tells the workers to look at these endpoints. One that is being delivered to needs no job now: its worker looks for
 * what came meanwhile after it has released it. Call it after the commit, never inside a transaction. `reconcile`
 * replaces a lost job, so an unavailable queue delays deliveries but fails no caller.
 * @param options `isLate`: they have waited long enough and go first
 */
export async function sendDeliveries(
  { db, producer, log }: Pick<WebhookServices, 'db' | 'producer' | 'log'>,
  endpoints: ToDeliver,
  options: { delayMs?: number; requestId?: string | null; isLate?: boolean } = {},
): Promise<void> {
  if (endpoints.length === 0) return;
  try {
    const { isLate = false, ...sent } = options;
    const found = await turnsOf(db, endpoints, sent.delayMs === undefined);
    const turns = Map.groupBy(found, ({ priority }) => (isLate ? 1 : priority));
    for (const [priority, group] of turns) {
      const payloads = group.map(({ endpointId }) => ({ endpointId }));
      await producer.enqueueMany(webhookDeliver, payloads, { ...sent, priority });
    }
  } catch (error) {
    log.warn({ error: String(error) }, 'webhook-deliver not sent: reconcile will send it');
  }
}

/**
 * Fair queueing between workspaces: an endpoint's priority is its position among the endpoints of its own workspace
 * that are being delivered to or have something due. So the first endpoint of one workspace goes before the second of
 * another, however many that one has (start-time fair queueing, Goyal, Vin and Cheng 1996).
 */
async function turnsOf(
  db: Database,
  endpoints: ToDeliver,
  leavesOutHeld: boolean,
): Promise<{ endpointId: WebhookEndpointId; priority: number }[]> {
  const { rows } = await sql<{ endpointId: WebhookEndpointId; priority: number }>`
    with busy as (
      select id, row_number() over (partition by workspace_id
          order by coalesce(claimed_until > now(), false) desc, id)::int as place
      from webhook_endpoint e
      where workspace_id in (select workspace_id from webhook_endpoint where id = any(${endpoints}::uuid[]))
        and enabled and deleted_at is null and (claimed_until > now() or exists (
          select 1 from webhook_delivery d
          where d.webhook_endpoint_id = e.id and d.next_attempt_at <= now()))
    )
    select e.id as "endpointId", coalesce(busy.place, 1)
      + case when e.breaker_trips = 0 then 0
        else ${TRIPPED_PRIORITY}::int + least(e.breaker_trips, ${MAX_TRIPS_COUNTED}::int) end as priority
    from webhook_endpoint e left join busy on busy.id = e.id
    where e.id = any(${endpoints}::uuid[])
      and (not ${leavesOutHeld}::bool or e.claimed_until is null or e.claimed_until < now())`.execute(
    db,
  );
  return rows;
}
