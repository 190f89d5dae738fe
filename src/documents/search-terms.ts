import { type RawBuilder, sql } from 'kysely';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { sparseVectorLiteral } from '#src/platform/vector.ts';
import { chooseCandidateTerms, idf, queryVector, TERM_SPACE } from './bm25.ts';
import { privateToOthers } from './document-access.ts';
import { filteredDocuments, type SearchFilters } from './search-filters.ts';
import type { TermCounts } from './term-counts.ts';

/** What a search may see, and how many chunks each half of it brings. */
export interface SearchScope {
  workspaceId: WorkspaceId;
  /** Whose eyes it is seen with; null when nothing is private to others. */
  userId: UserId | null;
  filters: SearchFilters;
  limit: number;
}

export interface FoundChunk {
  /** Chunk id. */
  key: number;
  documentId: DocumentId;
  score: number;
}

/**
 * Exact BM25 over `sparsevec`: the rows hold the document half, the query vector the live idf. The
 * rare terms fetch the candidates through the GIN index; all terms score them.
 */
export async function searchTerms(
  db: Database,
  scope: SearchScope,
  queryTerms: ReadonlyMap<number, number>,
  counts: TermCounts,
): Promise<FoundChunk[]> {
  if (queryTerms.size === 0) return [];
  const { ids, weights } = queryVector(queryTerms, counts.df, counts.chunks);
  const query = sparseVectorLiteral(TERM_SPACE, ids, weights);
  const weighted = [...queryTerms.keys()].map((id) => {
    const df = counts.df.get(id) ?? 0;
    return { id, df, idf: idf(df, counts.chunks) };
  });
  const candidates = chooseCandidateTerms(weighted, counts.chunks);
  const { rows } = await sql<FoundChunk>`
    select chunk_id as key, document_id as "documentId", -(weights <#> ${query}::sparsevec) as score
    from chunk_terms
    where terms && ${candidates}::int[] and ${visible(scope)}
    order by weights <#> ${query}::sparsevec limit ${scope.limit}`.execute(db);
  return rows;
}

/**
 * Hides a document that is being deleted, and one that was sent again after that until its new
 * content is indexed. The index `document_hidden` has the same condition.
 */
export const HIDDEN = sql.raw(`(status = 'deleting' or indexed_at < created_at)`);

/** The rows of one workspace that pass the filters, are not hidden, and are not private to others. */
export function visible({ workspaceId, userId, filters }: SearchScope): RawBuilder<unknown> {
  const allowed = filteredDocuments(workspaceId, filters);
  const notHidden = sql`workspace_id = ${workspaceId} and document_id not in (
    select id from document where workspace_id = ${workspaceId} and ${HIDDEN})${
      userId === null
        ? sql``
        : sql` and document_id not in (${privateToOthers(workspaceId, userId)})`
    }`;
  return allowed ? sql`${notHidden} and document_id in (${allowed})` : notHidden;
}
