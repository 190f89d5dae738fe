import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { PageRow } from '#src/platform/page-row.ts';

/** Pages of linked connectors. */
export async function pairPages(db: Database, ids: readonly string[]): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select id::text as id, workspace_id, id::text as page_id
    from cc_pair where id = any(${[...ids]}::int[])`.execute(db);
  return rows;
}

/** Pages of runs: those of their connectors. */
export async function runPages(db: Database, ids: readonly string[]): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select id::text as id, workspace_id, cc_pair_id::text as page_id
    from index_attempt where id = any(${[...ids]}::int[])`.execute(db);
  return rows;
}

/** Pages of prunes: those of their connectors. */
export async function prunePages(db: Database, ids: readonly string[]): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select id::text as id, workspace_id, cc_pair_id::text as page_id
    from prune_attempt where id = any(${[...ids]}::int[])`.execute(db);
  return rows;
}
