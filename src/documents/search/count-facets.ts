import { sql } from 'kysely';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { isPrivateToOthers } from '#src/documents/document-access.ts';
import type { Database } from '#src/platform/database.ts';

/** Values of one facet, those of most documents first. */
const MAX_VALUES = 50;

export interface Facets {
  sources: { value: string; count: number }[];
  tags: { key: string; value: string; count: number }[];
  documentSets: { value: string; count: number }[];
}

/**
 * How many of these documents have each source, tag and document set. A set counts only through pairs that the user may
 * see: a document may also be in one that is private to others.
 */
export async function countFacets(
  db: Database,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  documents: readonly DocumentId[],
): Promise<Facets> {
  if (documents.length === 0) return { sources: [], tags: [], documentSets: [] };
  const { rows } = await sql<{ facet: 'source' | 'tag' | 'set'; value: string; count: number }>`
    with d as materialized (
      select id, source, tags from document
      where workspace_id = ${workspaceId} and id = any(${documents}::bigint[]))
    select facet, value, count from (
      select facet, value, count, row_number() over (partition by facet order by count desc, value) as place
      from (
        select 'source' as facet, source as value, count(*)::int as count from d group by source
        union all
        select 'tag', tag, count(*)::int from d, unnest(tags) as tag group by tag
        union all
        select 'set', s.name, count(distinct d.id)::int from d
          join document_cc_pair l on l.document_id = d.id
          join cc_pair p on p.id = l.cc_pair_id and not ${isPrivateToOthers('p', userId)}
          join document_set_cc_pair m on m.cc_pair_id = p.id
          join document_set s on s.id = m.document_set_id and s.workspace_id = ${workspaceId}
          group by s.name) counted) placed
    where place <= ${MAX_VALUES} order by facet, place`.execute(db);
  const of = (facet: string) => rows.filter((row) => row.facet === facet);
  return {
    sources: of('source').map(({ value, count }) => ({ value, count })),
    tags: of('tag').map(({ value: tag, count }) => {
      const equals = tag.indexOf('=');
      return { key: tag.slice(0, equals), value: tag.slice(equals + 1), count };
    }),
    documentSets: of('set').map(({ value, count }) => ({ value, count })),
  };
}
