import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';

/** What queues did in a stretch of time, of all processes. */
export interface HistoryPoint {
  queue: string;
  at: Date;
  finished: number;
  failed: number;
  retried: number;
  waits: number[];
  runs: number[];
}

interface Stretch {
  /** Null for all queues. */
  queue: string | null;
  from: Date;
  to: Date;
  stepSeconds: number;
}

/** By steps, oldest first, from the rows of minutes; steps without attempts are missing. */
export async function readMinutes(db: Database, stretch: Stretch): Promise<HistoryPoint[]> {
  const { queue, from, to, stepSeconds } = stretch;
  const { rows } = await sql<HistoryPoint>`
    with picked as materialized (
      select queue, process_id, minute, finished, failed, retried, waits, runs,
        to_timestamp(floor(extract(epoch from minute) / ${stepSeconds}::int) * ${stepSeconds}::int) as at
      from queue_minute where minute >= ${from} and minute < ${to}
        and (${queue}::text is null or queue = ${queue}::text)
    ), classes as (
      select queue, at, index, sum(wait)::int as wait, sum(run)::int as run
      from picked, unnest(waits, runs) with ordinality as class(wait, run, index)
      group by queue, at, index
    ), histograms as (
      select queue, at, array_agg(coalesce(wait, 0) order by index) as waits,
        array_agg(coalesce(run, 0) order by index) as runs
      from classes group by queue, at
    ), counts as (
      select queue, at, sum(finished)::int as finished, sum(failed)::int as failed,
        sum(retried)::int as retried
      from picked group by queue, at
    )
    select c.queue, c.at, c.finished, c.failed, c.retried, coalesce(h.waits, '{}') as waits,
      coalesce(h.runs, '{}') as runs
    from counts c left join histograms h on h.queue = c.queue and h.at = c.at
    order by c.at, c.queue`.execute(db);
  return rows;
}

/** By hours, oldest first, from the rows of hours. */
export async function readHours(
  db: Database,
  { queue, from, to }: Omit<Stretch, 'stepSeconds'>,
): Promise<(HistoryPoint & { oldestMs: number })[]> {
  let query = db
    .selectFrom('queue_hour')
    .select(['queue', 'hour as at', 'finished', 'failed', 'retried', 'waits', 'runs'])
    .select('oldest_ms as oldestMs')
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .orderBy('hour')
    .orderBy('queue');
  if (queue !== null) query = query.where('queue', '=', queue);
  return query.execute();
}

/** The greatest age in each step, oldest first; steps in which nothing was due are missing. */
export async function readDepths(
  db: Database,
  { queue, from, to, stepSeconds }: Stretch,
): Promise<{ queue: string; at: Date; oldestMs: number }[]> {
  const { rows } = await sql<{ queue: string; at: Date; oldestMs: number }>`
    select queue, max(oldest_ms)::float8 as "oldestMs",
      to_timestamp(floor(extract(epoch from minute) / ${stepSeconds}::int) * ${stepSeconds}::int) as at
    from queue_depth where minute >= ${from} and minute < ${to}
      and (${queue}::text is null or queue = ${queue}::text)
    group by queue, at order by at, queue`.execute(db);
  return rows;
}
