import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { readDepths, readMinutes } from './read-history.ts';

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

/**
 * Sums the minutes of the last two hours up to hours, so that minutes that came late are counted, too. Doing it twice
 * gives the same.
 */
export async function rollUp(db: Database, now: Date): Promise<void> {
  const settled = new Date(now.getTime() - SETTLED_MS);
  const to = new Date(Math.floor(settled.getTime() / HOUR_MS) * HOUR_MS);
  const stretch = {
    queue: null,
    from: new Date(to.getTime() - 2 * HOUR_MS),
    to,
    stepSeconds: HOUR_MS / 1_000,
  };
  const points = await readMinutes(db, stretch);
  const depths = await readDepths(db, stretch);
  if (points.length === 0) return;
  const oldestMs = ({ queue, at }: { queue: string; at: Date }): number =>
    depths.find((one) => one.queue === queue && one.at.getTime() === at.getTime())?.oldestMs ?? 0;
  await db
    .insertInto('queue_hour')
    .values(
      points.map(({ at, ...point }) => ({
        ...point,
        hour: at,
        oldest_ms: oldestMs({ queue: point.queue, at }),
      })),
    )
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

/** Deletes what is past its time. */
export async function sweepHistory(db: Database, now: Date): Promise<void> {
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  await db.deleteFrom('queue_minute').where('minute', '<', before(KEPT_MS.minutes)).execute();
  await db.deleteFrom('search_minute').where('minute', '<', before(KEPT_MS.minutes)).execute();
  await db.deleteFrom('queue_depth').where('minute', '<', before(KEPT_MS.minutes)).execute();
  await db.deleteFrom('queue_hour').where('hour', '<', before(KEPT_MS.hours)).execute();
  await db.deleteFrom('queue_repair').where('minute', '<', before(KEPT_MS.hours)).execute();
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
