import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { minuteOf } from './job-history.ts';

const MAX_LISTED = 500;

/** Rows that `reconcile` sent again, by queue. */
export type RepairCounts = Readonly<Record<string, number>>;

/** Adds to the repairs of this minute; writes nothing when nothing had to be repaired. */
export async function recordRepairs(db: Database, now: Date, counts: RepairCounts): Promise<void> {
  const repaired = Object.entries(counts).filter(([, rows]) => rows > 0);
  if (repaired.length === 0) return;
  await sql`
    insert into queue_repair as r (minute, queue, rows)
    select ${minuteOf(now)}::timestamptz, x.* from unnest(${repaired.map(([queue]) => queue)}::text[],
      ${repaired.map(([, rows]) => rows)}::int[]) as x(queue, rows)
    on conflict (minute, queue) do update set rows = r.rows + excluded.rows`.execute(db);
}

/** What was repaired since then: in all, and the latest. */
export async function listRepairs(db: Database, since: Date) {
  const totals = await db
    .selectFrom('queue_repair')
    .select((row) => [
      'queue',
      sql<number>`sum(rows)::int`.as('rows'),
      row.fn.max('minute').as('lastAt'),
    ])
    .where('minute', '>=', since)
    .groupBy('queue')
    .orderBy('queue')
    .execute();
  const repairs = await db
    .selectFrom('queue_repair')
    .select(['minute', 'queue', 'rows'])
    .where('minute', '>=', since)
    .orderBy('minute', 'desc')
    .orderBy('queue')
    .limit(MAX_LISTED)
    .execute();
  return { totals, repairs };
}
