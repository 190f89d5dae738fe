import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { PageRow } from '#src/platform/page-row.ts';

/** Documents by the ids of their rows; their pages have the ids that their senders chose. */
export async function documentPages(db: Database, ids: readonly string[]): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select id::text as id, workspace_id, external_id as page_id
    from document where id = any(${[...ids]}::bigint[])`.execute(db);
  return rows;
}
