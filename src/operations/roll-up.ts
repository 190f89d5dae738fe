import { type Insertable, sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { OperationsTables } from '#src/tables/operations.ts';
import { type HistoryPoint, readDepths, readMinutes } from './read-history.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Minutes are written up to a beat late, and later when the database was away. */
const SETTLED_MS = 3 * 60_000;
const KEPT_MS = {
  minutes: 2 * DAY_MS,
  hours: 30 * DAY_MS,
  processes: HOUR_MS,
  actions: 365 * DAY_MS,
} as const;

/** Minutes that come later than this are not counted in their hour. */
const LATE_HOURS = 2;

/**
 * Sums minutes up to hours: those since the last time, and the two hours before them, so that minutes that came late
 * are counted, too. Doing it twice gives the same.
 */
export async function rollUp(
  db: Database,
  { tidiedAt, now }: { tidiedAt: Date; now: Date },
): Promise<void> {
  const to = hourOf(now.getTime() - SETTLED_MS);
  // The first hour whose minutes are all kept: one of which some are deleted would be summed up to less.
  const oldest = hourOf(now.getTime() - KEPT_MS.minutes) + HOUR_MS;
  const from = Math.max(oldest, hourOf(tidiedAt.getTime() - SETTLED_MS) - LATE_HOURS * HOUR_MS);
  const stretch = {
    queue: null,
    from: new Date(from),
    to: new Date(to),
    stepSeconds: HOUR_MS / 1_000,
  };
  const hours = joined(await readMinutes(db, stretch), await readDepths(db, stretch));
  if (hours.length === 0) return;
  await db
    .insertInto('queue_hour')
    .values(hours)
    .onConflict((conflict) =>
      conflict.columns(['hour', 'queue']).doUpdateSet((row) => ({
        finished: row.ref('excluded.finished'),
        failed: row.ref('excluded.failed'),
        retried: row.ref('excluded.retried'),
        waits: row.ref('excluded.waits'),
        runs: row.ref('excluded.runs'),
        oldest_ms: row.ref('excluded.oldest_ms'),
      })),
    )
    .execute();
}

function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}

/** An hour has a row when anything was attempted, or when anything was due and nothing was attempted. */
function joined(
  points: readonly HistoryPoint[],
  depths: readonly { queue: string; at: Date; oldestMs: number }[],
): Insertable<OperationsTables['queue_hour']>[] {
  const keyOf = ({ queue, at }: { queue: string; at: Date }): string => `${at.getTime()} ${queue}`;
  const hours = new Map<string, Insertable<OperationsTables['queue_hour']>>();
  for (const { queue, at, oldestMs } of depths) {
    hours.set(keyOf({ queue, at }), { ...NO_ATTEMPTS, queue, hour: at, oldest_ms: oldestMs });
  }
  for (const { at, ...point } of points) {
    const key = keyOf({ queue: point.queue, at });
    hours.set(key, { ...point, hour: at, oldest_ms: hours.get(key)?.oldest_ms ?? 0 });
  }
  return [...hours.values()];
}

const NO_ATTEMPTS = { finished: 0, failed: 0, retried: 0, waits: [], runs: [] };

/** Deletes what is past its time. */
export async function sweepHistory(db: Database, now: Date): Promise<void> {
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  await db.deleteFrom('queue_minute').where('minute', '<', before(KEPT_MS.minutes)).execute();
  await db.deleteFrom('search_minute').where('minute', '<', before(KEPT_MS.minutes)).execute();
  await db.deleteFrom('queue_depth').where('minute', '<', before(KEPT_MS.minutes)).execute();
  await db.deleteFrom('queue_hour').where('hour', '<', before(KEPT_MS.hours)).execute();
  await db.deleteFrom('queue_repair').where('minute', '<', before(KEPT_MS.hours)).execute();
  await db
    .deleteFrom('failure_discard')
    .where('discarded_at', '<', before(KEPT_MS.hours))
    .execute();
  await db.deleteFrom('queue_alarm').where('cleared_at', '<', before(KEPT_MS.hours)).execute();
  await db.deleteFrom('worker_process').where('beat_at', '<', before(KEPT_MS.processes)).execute();
  await db
    .deleteFrom('operator_action')
    .where('created_at', '<', before(KEPT_MS.actions))
    .execute();
}

/** Records what was due at the end of this minute, once. */
export async function recordDepths(
  db: Database,
  minute: Date,
  depths: readonly { queue: string; due: number; oldestMs: number }[],
): Promise<void> {
  if (depths.length === 0) return;
  await sql`
    insert into queue_depth (minute, queue, due, oldest_ms)
    select ${minute}::timestamptz, d.* from unnest(${depths.map(({ queue }) => queue)}::text[],
      ${depths.map(({ due }) => due)}::int[],
      ${depths.map(({ oldestMs }) => Math.round(oldestMs))}::bigint[]) as d(queue, due, oldest_ms)
    on conflict (minute, queue) do nothing`.execute(db);
}
