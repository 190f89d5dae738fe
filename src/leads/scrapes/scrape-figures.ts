import { type RawBuilder, sql } from 'kysely';
import { leadScrape } from '#queues/lead-scrape.ts';
import type { Database } from '#src/platform/database.ts';
import { type FailedRow, MAX_COUNTED, type WorkFigures } from '#src/platform/work-figures.ts';

/** The work of `lead-scrape`. A scrape that continues becomes due again when its last job was sent. */
export async function scrapeFigures(db: Database): Promise<WorkFigures[]> {
  const { rows } = await sql<WorkFigures>`
    with work as (
      select claimed_until > now() as is_active, coalesce(next_attempt_at,
        case when status = 'running' then queued_at else created_at end) as due_at
      from lead_scrape where finished_at is null limit ${MAX_COUNTED}
    )
    select ${leadScrape.name} as queue,
      count(*) filter (where is_active is not true and due_at <= now())::int as waiting,
      count(*) filter (where is_active)::int as active,
      count(*) filter (where is_active is not true and due_at > now())::int as delayed,
      min(due_at) filter (where is_active is not true and due_at <= now()) as oldest_due_at
    from work`.execute(db);
  return rows;
}

/** Scrapes that failed. */
export const FAILED_SCRAPES: RawBuilder<FailedRow> = sql`
  select id::text as id, workspace_id, coalesce(error, '') as message, outages + 1 as attempts,
    finished_at as failed_at
  from lead_scrape where status = 'failed' and finished_at is not null`;
