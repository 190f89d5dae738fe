import { sql } from 'kysely';
import { LINKED_DOCUMENTS } from '#src/documents/documents-of-pair.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

export interface SourceStanding {
  source: string;
  has_successful_run: boolean;
}

/** The linked sources, and whether any of their pairs ever had a successful run. */
export async function listLinkedSources(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<SourceStanding[]> {
  const { rows } = await sql<SourceStanding>`
    select source, bool_or(last_success_at is not null) as has_successful_run from cc_pair
    where workspace_id = ${workspaceId} and connector_id is not null
    group by source order by source`.execute(db);
  return rows;
}

/** The sources of pairs that have documents, including pushed ones. */
export async function listIndexedSources(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<string[]> {
  const { rows } = await sql<{ source: string }>`
    select distinct p.source from cc_pair p where p.workspace_id = ${workspaceId}
      and exists (select 1 from ${LINKED_DOCUMENTS} where l.cc_pair_id = p.id)
    order by p.source`.execute(db);
  return rows.map(({ source }) => source);
}
