import { type RawBuilder, sql } from 'kysely';
import type { WebhookEventId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { OPT_IN_TYPES } from '#src/webhooks/event-types.ts';
import type { EndpointAddress } from './endpoints.ts';
import { timeOf } from './events.ts';
import { newRound } from './new-round.ts';

/** Events per statement. */
const SLICE = 1_000;

/** The events of a workspace to be delivered to an endpoint again. */
export interface RecoveryWindow extends EndpointAddress {
  since: Date;
  /** Exclusive. */
  until: Date;
  /** Null for every type. */
  eventTypes: string[] | null;
}

/** The last event processed; the next slice starts after it, by time and then id. */
interface Position {
  time: RawBuilder<Date>;
  id: string;
}

export function firstPosition({ since }: RecoveryWindow): Position | null {
  return { time: sql<Date>`${since.toISOString()}::timestamptz`, id: '' };
}

/** Counts how much of a slice failed or is missing, and where the next slice starts: null after the last. */
export async function countSlice(
  trx: DatabaseTransaction,
  window: RecoveryWindow,
  position: Position,
): Promise<{ failed: number; missing: number; next: Position | null }> {
  await walkIndexes(trx);
  const { rows } = await sql<SliceEnd & { failed: number; missing: number }>`
    with slice as (${sliceOf(window, position)})
    select ${SLICE_END}, count(*) filter (where has_failed)::int as failed,
      count(*) filter (where is_missing)::int as missing
    from slice`.execute(trx);
  const { failed, missing, ...end } = onlyRow(rows);
  return { failed, missing, next: nextPosition(end) };
}

/** Makes a slice due. The due times keep the order of the events. */
export async function recoverSlice(
  trx: DatabaseTransaction,
  window: RecoveryWindow,
  position: Position,
): Promise<{ recovered: number; next: Position | null }> {
  const inOrder = sql<Date>`now() + (slice.place - ${SLICE}::int) * interval '1 microsecond'`;
  await walkIndexes(trx);
  const { rows } = await sql<SliceEnd & { recovered: number }>`
    with slice as (${sliceOf(window, position)}),
    restarted as (
      update webhook_delivery d set ${newRound(inOrder)} from slice
      where slice.has_failed and d.id = slice.delivery_id and ${HAS_FAILED}
      returning d.id
    ), made as (
      insert into webhook_delivery (workspace_id, webhook_endpoint_id, webhook_event_id,
        event_type, next_attempt_at)
      select ${window.workspaceId}::uuid, ${window.id}::uuid, slice.id, slice.type, ${inOrder}
      from slice where slice.is_missing order by slice.place
      on conflict do nothing returning id
    )
    select ${SLICE_END},
      (select count(*) from restarted)::int + (select count(*) from made)::int as recovered
    from slice`.execute(trx);
  const { recovered, ...end } = onlyRow(rows);
  return { recovered, next: nextPosition(end) };
}

/**
 * The planner considers a table that was never analyzed small (the embedded size has no autovacuum). It would then
 * collect and sort all events of the window for each slice instead of reading the next ones from the index.
 */
async function walkIndexes(trx: DatabaseTransaction): Promise<void> {
  await sql`set local enable_bitmapscan = off`.execute(trx);
}

const HAS_FAILED = sql.raw(`d.status in ('exhausted', 'canceled')`);

/**
 * The next events, and what to do with each. An event is missing if it was requested, can be sent, has no delivery, and
 * passes the endpoint's current filter; a ping was meant for one endpoint only.
 */
function sliceOf(
  { workspaceId, id: endpointId, until, eventTypes }: RecoveryWindow,
  position: Position,
): RawBuilder<unknown> {
  const wanted = sql`e.payload is not null and (${eventTypes}::text[] is null
    or e.type = any(${eventTypes}::text[]))`;
  const matches = sql`e.type <> 'ping' and coalesce(e.type = any(f.event_types),
    e.type <> all(${[...OPT_IN_TYPES]}::text[]))`;
  // The limit keeps the lateral join a look-up per event, whatever the planner knows about the table.
  return sql`
    select e.id, e.type, e.created_at, row_number() over (order by e.created_at, e.id) as place,
      d.id as delivery_id, coalesce(${wanted} and ${HAS_FAILED}, false) as has_failed,
      ${wanted} and ${matches} and d.id is null as is_missing
    from (
      select id, type, created_at, payload from webhook_event
      where workspace_id = ${workspaceId} and created_at < ${until.toISOString()}::timestamptz
        and (created_at, id) > (${position.time}, ${position.id})
      order by created_at, id limit ${SLICE}) e
    join webhook_endpoint f on f.id = ${endpointId}
    left join lateral (select id, status from webhook_delivery
      where webhook_event_id = e.id and webhook_endpoint_id = f.id limit 1) d on true`;
}

interface SliceEnd {
  seen: number;
  last_id: WebhookEventId | null;
  last_micros: string | null;
}

const SLICE_END = sql.raw(`count(*)::int as seen,
  (select id from slice order by place desc limit 1) as last_id,
  (select (extract(epoch from created_at) * 1000000)::bigint::text from slice
    order by place desc limit 1) as last_micros`);

function nextPosition({ seen, last_id, last_micros }: SliceEnd): Position | null {
  if (seen < SLICE || last_id === null || last_micros === null) return null;
  return { time: timeOf(last_micros), id: last_id };
}

function onlyRow<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (!row) throw new Error('An aggregate returned no row.');
  return row;
}
