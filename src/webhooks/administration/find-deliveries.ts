import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import {
  type FoundRow,
  MAX_COMPARED,
  MAX_OF_KIND,
  type LookupTerm,
} from '#src/platform/found-row.ts';

/** Webhook endpoints by id, address or description. */
export async function findEndpoints(db: Database, sought: LookupTerm): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select id::text as id, id::text as page_id, url as title,
      case when enabled then null else 'disabled' end as state, description as detail, created_at as at
    from (select * from webhook_endpoint
      where workspace_id = ${sought.workspaceId} and deleted_at is null
      order by created_at desc limit ${MAX_COMPARED}) e
    where id = ${sought.uuid}::uuid or strpos(lower(url), ${sought.part}) > 0
      or strpos(lower(description), ${sought.part}) > 0
    order by created_at desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}

/** Deliveries by their id, or that of their event. */
export async function findDeliveries(db: Database, sought: LookupTerm): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select d.id::text as id, d.id::text as page_id, d.event_type as title, d.status as state,
      e.url as detail, d.created_at as at
    from ((select id from webhook_delivery where id = ${sought.number}::bigint)
      union (select id from webhook_delivery where webhook_event_id = ${sought.part}
        limit ${MAX_OF_KIND})) found
    join webhook_delivery d on d.id = found.id
    join webhook_endpoint e on e.id = d.webhook_endpoint_id
    where d.workspace_id = ${sought.workspaceId} order by d.id desc limit ${MAX_OF_KIND}`.execute(
    db,
  );
  return rows;
}
