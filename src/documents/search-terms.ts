import { type QueryResult, type RawBuilder, sql } from 'kysely';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { sparseVectorLiteral } from '#src/platform/vector.ts';
import {
  type CandidateTerms,
  chooseCandidateTerms,
  idf,
  queryVector,
  RARE_ROWS,
  TERM_SPACE,
} from './bm25.ts';
import { privateToOthers } from './document-access.ts';
import { filteredDocuments, hasFilters, type SearchFilters } from './search-filters.ts';
import { areShown } from './shown-chunks.ts';
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

/** Rows scored at most for one question: 1 µs each on a server, several in WASM. */
export const MAX_SCORED = { embedded: 5_000, 'one-database': 20_000, 'scale-out': 20_000 };
/** From this share of a workspace on, the planner would rather read the whole table: three times as slow. */
const SCAN_SHARE = 0.05;

/**
 * BM25 over `sparsevec`: the rows hold the document half, the query vector the live idf. The rare terms
 * fetch the candidates through the GIN index; all terms score them. Only a question of nothing but
 * common words is not exact: the best of so many rows that have them.
 * @param maxScored rows scored at most
 */
export async function searchTerms(
  db: Database,
  scope: SearchScope,
  queryTerms: ReadonlyMap<number, number>,
  counts: TermCounts,
  maxScored: number,
): Promise<FoundChunk[]> {
  if (queryTerms.size === 0) return [];
  const { ids, weights } = queryVector(queryTerms, counts.df, counts.chunks);
  const weighted = [...queryTerms.keys()].map((id) => {
    const df = counts.df.get(id) ?? 0;
    return { id, df, idf: idf(df, counts.chunks) };
  });
  // Where not every row may be seen, nobody knows how many of a term's rows are left.
  const isNarrowed = hasFilters(scope.filters) || scope.userId !== null;
  const candidates = chooseCandidateTerms(weighted, counts.chunks, {
    maxRows: maxScored,
    wantedRows: isNarrowed ? Infinity : scope.limit,
  });
  const query = sparseVectorLiteral(TERM_SPACE, ids, weights);
  const statement = bestOf(scope, candidates, query, maxScored);
  const isLarge =
    candidates.all.length > 0 || candidates.rows > Math.max(RARE_ROWS, counts.chunks * SCAN_SHARE);
  const { rows } = isLarge ? await throughIndex(db, statement) : await statement.execute(db);
  return rows;
}

function bestOf(
  scope: SearchScope,
  { any, all }: CandidateTerms,
  query: string,
  maxScored: number,
): RawBuilder<FoundChunk> {
  const found = sql`select chunk_id as key, document_id as "documentId", -(weights <#> ${query}::sparsevec) as score`;
  const rare = sql`${found} from chunk_terms where terms && ${any}::int[] and ${searchable(scope)}`;
  // What both parts have is the same row twice, which the union makes one.
  const both =
    all.length === 0
      ? rare
      : sql`${rare} union ${found} from (select * from chunk_terms
          where terms @> ${all}::int[] and ${searchable(scope)} limit ${maxScored}) common`;
  return sql<FoundChunk>`select * from (${both}) found order by score desc limit ${scope.limit}`;
}

/** Without a scan of the table, and without other processes of the server for so little work. */
function throughIndex<T>(db: Database, statement: RawBuilder<T>): Promise<QueryResult<T>> {
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('enable_seqscan', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true)`.execute(trx);
    return statement.execute(trx);
  });
}

/**
 * Hides a document that is being deleted, and one that was sent again after that until its new
 * content is indexed. The index `document_hidden` has the same condition.
 */
export const HIDDEN = sql.raw(`(status = 'deleting' or indexed_at < created_at)`);

/** The chunks that a search may find: of visible documents, and not hidden themselves. */
export function searchable(scope: SearchScope): RawBuilder<unknown> {
  return sql`${visible(scope)} and ${areShown(scope.workspaceId)}`;
}

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
