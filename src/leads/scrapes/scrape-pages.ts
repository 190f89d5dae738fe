import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { PageRow } from '#src/platform/page-row.ts';

/** Pages of lead scrapes. */
export async function scrapePages(db: Database, ids: readonly string[]): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select id::text as id, workspace_id, id::text as page_id
    from lead_scrape where id = any(${[...ids]}::uuid[])`.execute(db);
  return rows;
}
