import { sql } from 'kysely';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { isPrivateToOthers } from '#src/documents/document-access.ts';
import type { Database } from '#src/platform/database.ts';
import type { Matches } from './find-matches.ts';

/** Values of one facet, those of most results first. */
const MAX_VALUES = 50;
/** Tags counted for one search. A document may have a thousand. */
const MAX_TAGS = 100_000;

/** How often a value occurs. */
interface ValueCount {
  /** Among the results. */
  count: number;
  /** Among all documents that match. */
  documents: number;
}

export interface Facets {
  /** All that match. */
  documents: number;
  /** False: there may be more documents than were counted, of any value. */
  isExact: boolean;
  sources: (ValueCount & { value: string })[];
  tags: (ValueCount & { key: string; value: string })[];
  documentSets: (ValueCount & { value: string })[];
}

interface FacetRow extends ValueCount {
  facet: 'source' | 'tag' | 'set' | 'all';
  value: string;
}

/**
 * How many results, and how many of all matching documents, have each source, tag and document set. Values without a
 * result follow the others. A set counts only through pairs that the user may see: a document may also be in one that
 * is private to others.
 * @param results ids of the results; all of them match
 */
export async function countFacets(
  db: Database,
  reader: { workspaceId: WorkspaceId; userId: UserId },
  results: readonly DocumentId[],
  matches: Matches,
): Promise<Facets> {
  const rows = matches.documents.length === 0 ? [] : await readCounts(db, reader, results, matches);
  const of = (facet: FacetRow['facet']) => rows.filter((row) => row.facet === facet);
  const [all] = of('all');
  return {
    documents: all?.documents ?? 0,
    // Of this row, the count is that of the documents whose tags were left out.
    isExact: matches.isExact && (all?.count ?? 0) === 0,
    sources: of('source').map(valueCount),
    tags: of('tag').map(({ value: tag, count, documents }) => {
      const equals = tag.indexOf('=');
      return { key: tag.slice(0, equals), value: tag.slice(equals + 1), count, documents };
    }),
    documentSets: of('set').map(valueCount),
  };
}

async function readCounts(
  db: Database,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  results: readonly DocumentId[],
  { documents }: Matches,
): Promise<FacetRow[]> {
  const { rows } = await sql<FacetRow>`
    with d as materialized (
      select id, source, tags, is_result,
        sum(cardinality(tags)) over (order by is_result desc, id) <= ${MAX_TAGS} as has_room
      from (select id, source, tags, id = any(${results}::bigint[]) as is_result from document
        where workspace_id = ${workspaceId} and id = any(${documents}::bigint[])) matching)
    select facet, value, count, documents from (
      select facet, value, count, documents, row_number() over (partition by facet
        order by count desc, case when count = 0 then documents end desc, value) as place
      from (
        select 'source' as facet, source as value,
          (count(*) filter (where is_result))::int as count, count(*)::int as documents
          from d group by source
        union all
        select 'tag', tag, (count(*) filter (where is_result))::int, count(*)::int
          from d, unnest(tags) as tag where has_room group by tag
        union all
        select 'set', name, (count(*) filter (where is_result))::int, count(*)::int
          from (select distinct s.name, d.id, d.is_result from d
            join document_cc_pair l on l.document_id = d.id
            join cc_pair p on p.id = l.cc_pair_id and not ${isPrivateToOthers('p', userId)}
            join document_set_cc_pair m on m.cc_pair_id = p.id
            join document_set s on s.id = m.document_set_id and s.workspace_id = ${workspaceId}) in_set
          group by name
        union all
        select 'all', '', (count(*) filter (where not has_room))::int, count(*)::int from d) counted) placed
    where place <= ${MAX_VALUES} order by facet, place`.execute(db);
  return rows;
}

function valueCount({ value, count, documents }: FacetRow): ValueCount & { value: string } {
  return { value, count, documents };
}
