import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { PageRow } from '#src/platform/page-row.ts';

/** Uploaded files. They are their user's: no page of the console shows them to others. */
export async function userFilePages(db: Database, ids: readonly string[]): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select id::text as id, workspace_id, null::text as page_id
    from user_file where id = any(${[...ids]}::uuid[])`.execute(db);
  return rows;
}
