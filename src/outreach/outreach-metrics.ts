import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { GaugeSample } from '#src/platform/metrics.ts';

/** Scrapes and messages of all workspaces by status, and the age of the oldest that is due but not started. */
export async function outreachSamples(db: Database): Promise<GaugeSample[]> {
  const { rows } = await sql<{
    kind: 'scrape' | 'message' | 'late';
    label: string;
    value: number | null;
  }>`
    select 'scrape' as kind, status as label, count(*)::float8 as value from lead_scrape
      where finished_at is null group by status
    union all
    select 'message', status, count(*) from email_message
      where finished_at is null or finished_at > now() - interval '1 day' group by status
    union all
    select 'late', 'lead_scrape', extract(epoch from now() - min(coalesce(next_attempt_at, created_at)))
      from lead_scrape where finished_at is null and status = 'queued'
        and (next_attempt_at is null or next_attempt_at < now())
    union all
    select 'late', 'email_message', extract(epoch from now() - min(coalesce(next_attempt_at, created_at)))
      from email_message where finished_at is null and status = 'queued'
        and (next_attempt_at is null or next_attempt_at < now())`.execute(db);
  return rows.map(({ kind, label, value: found }): GaugeSample => {
    // The minimum over no rows is null: nothing is waiting.
    const value = found ?? 0;
    switch (kind) {
      case 'scrape':
        return { gauge: 'leadScrapes', labels: { status: label }, value };
      case 'message':
        return { gauge: 'emailMessages', labels: { status: label }, value };
      case 'late':
        return { gauge: 'outreachOldestDueSeconds', labels: { kind: label }, value };
    }
  });
}
