import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { PageRow } from '#src/platform/page-row.ts';

/** Pages of messages and verifications: those of their sender accounts. */
export async function messagePages(db: Database, ids: readonly string[]): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select id::text as id, workspace_id, email_account_id::text as page_id
    from email_message where id = any(${[...ids]}::uuid[])`.execute(db);
  return rows;
}
