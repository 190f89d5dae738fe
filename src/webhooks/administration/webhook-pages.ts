import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { PageRow } from '#src/platform/page-row.ts';

/** Pages of webhook endpoints. */
export async function endpointPages(db: Database, ids: readonly string[]): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select id::text as id, workspace_id, id::text as page_id
    from webhook_endpoint where id = any(${[...ids]}::uuid[])`.execute(db);
  return rows;
}

/** Pages of deliveries. */
export async function deliveryPages(db: Database, ids: readonly string[]): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select id::text as id, workspace_id, id::text as page_id
    from webhook_delivery where id = any(${[...ids]}::bigint[])`.execute(db);
  return rows;
}
