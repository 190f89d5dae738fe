import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { GaugeSample } from '#src/platform/gauges.ts';

/** Scrapes of all workspaces by status, and the age of the oldest that is due but not started. */
export async function scrapeSamples(db: Database): Promise<GaugeSample[]> {
  const { rows } = await sql<{ status: string | null; value: number | null }>`
    select status, count(*)::float8 as value from lead_scrape
      where finished_at is null group by status
    union all
    select null, extract(epoch from now() - min(coalesce(next_attempt_at, created_at)))
      from lead_scrape where finished_at is null and status = 'queued'
        and (next_attempt_at is null or next_attempt_at < now())`.execute(db);
  return rows.map(({ status, value: found }): GaugeSample => {
    // The minimum over no rows is null: nothing is waiting.
    const value = found ?? 0;
    return status === null
      ? { gauge: 'outreachOldestDueSeconds', labels: { kind: 'lead_scrape' }, value }
      : { gauge: 'leadScrapes', labels: { status }, value };
  });
}
