import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import {
  type FoundRow,
  MAX_COMPARED,
  MAX_OF_KIND,
  type LookupTerm,
} from '#src/platform/found-row.ts';

/** Connectors by id or name. */
export async function findConnectors(db: Database, sought: LookupTerm): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select id::text as id, id::text as page_id, name as title, status as state, source as detail,
      created_at as at
    from (select * from cc_pair where workspace_id = ${sought.workspaceId} and connector_id is not null
      order by id desc limit ${MAX_COMPARED}) p
    where id = ${sought.number}::bigint or strpos(lower(name), ${sought.part}) > 0
    order by id desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}

/** The run of a connector with this id. */
export async function findRuns(db: Database, sought: LookupTerm): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select a.id::text as id, a.cc_pair_id::text as page_id, 'Run of ' || p.name as title,
      a.status as state, a.error as detail, a.created_at as at
    from index_attempt a join cc_pair p on p.id = a.cc_pair_id
    where a.id = ${sought.number}::bigint and a.workspace_id = ${sought.workspaceId}`.execute(db);
  return rows;
}
