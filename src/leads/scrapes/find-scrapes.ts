import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import {
  type FoundRow,
  MAX_COMPARED,
  MAX_OF_KIND,
  type LookupTerm,
} from '#src/platform/found-row.ts';

/** Lead scrapes by id, the newest ones by what they looked for. */
export async function findScrapes(db: Database, sought: LookupTerm): Promise<FoundRow[]> {
  const { workspaceId, uuid, part } = sought;
  const { rows } = await sql<FoundRow>`
    select s.id::text as id, s.id::text as page_id, left(s.query, 1000) as title, s.status as state,
      s.error as detail, s.created_at as at
    from ((select id from lead_scrape where id = ${uuid}::uuid)
      union (select id from (select id, query from lead_scrape
          where workspace_id = ${workspaceId} order by created_at desc, id desc limit ${MAX_COMPARED}) n
        where strpos(lower(left(n.query, 1000)), ${part}) > 0)) found
    join lead_scrape s on s.id = found.id
    where s.workspace_id = ${workspaceId}
    order by s.created_at desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}
