import { type RawBuilder, sql } from 'kysely';
import type { WebhookEventId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { WebhookDeliveryStatus } from '#src/tables/webhooks.ts';
import { encodeEventCursor, type EventsQuery } from './lookup-query.ts';
import { unknownEvent } from './path-ids.ts';

export interface EventAddress {
  workspaceId: WorkspaceId;
  id: WebhookEventId;
}

export interface EventRecord {
  id: WebhookEventId;
  type: string;
  /** From the envelope; null once it was expunged. */
  timestamp: string | null;
  /** When it was stored. */
  created_at: Date;
}

/** An event, and the number of its deliveries in each state; states without any are omitted. */
export type ListedEvent = EventRecord & {
  counts: Partial<Record<WebhookDeliveryStatus, number>>;
};

/** Newest first. Events that arrive meanwhile do not shift the pages. */
export async function listEvents(
  db: Database,
  workspaceId: WorkspaceId,
  query: EventsQuery,
): Promise<{ events: ListedEvent[]; nextCursor: string | null }> {
  const { cursor } = query;
  const conditions = [
    sql`workspace_id = ${workspaceId}`,
    query.type && sql`type = ${query.type}`,
    query.since && sql`created_at >= ${query.since.toISOString()}::timestamptz`,
    query.until && sql`created_at < ${query.until.toISOString()}::timestamptz`,
    cursor && sql`(created_at, id) < (${timeOf(cursor.createdAtMicros)}, ${cursor.id})`,
  ].filter((one): one is RawBuilder<unknown> => typeof one === 'object');
  const { rows } = await sql<ListedEvent & { micros: string }>`
    select e.id, e.type, e.timestamp, e.created_at, ${MICROS} as micros, coalesce(d.counts, '{}') as counts
    from (select id, type, created_at, ${TIMESTAMP} as timestamp from webhook_event
      where ${sql.join(conditions, sql` and `)}
      order by created_at desc, id desc limit ${query.limit + 1}) e
    left join lateral (select json_object_agg(status, n) as counts from (
      select status, count(*) as n from webhook_delivery where webhook_event_id = e.id
      group by status) by_status) d on true
    order by e.created_at desc, e.id desc`.execute(db);
  const events = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? events.at(-1) : undefined;
  const nextCursor = last ? encodeEventCursor({ createdAtMicros: last.micros, id: last.id }) : null;
  return { events, nextCursor };
}

const TIMESTAMP = sql.raw(`(payload::json ->> 'timestamp')`);
/** A `Date` would truncate the microseconds, and with them the order. */
const MICROS = sql.raw('(extract(epoch from created_at) * 1000000)::bigint::text');

/** The time at this many microseconds since 1970. */
export function timeOf(micros: string): RawBuilder<Date> {
  return sql<Date>`('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond')`;
}

/** @throws Problem NOT_FOUND */
export async function findEvent(
  db: Database,
  { workspaceId, id }: EventAddress,
): Promise<EventRecord & { payload: string | null }> {
  const { rows } = await sql<EventRecord & { payload: string | null }>`
    select id, type, created_at, ${TIMESTAMP} as timestamp, payload from webhook_event
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db);
  const [found] = rows;
  if (!found) throw unknownEvent(id);
  return found;
}
