import { type QueryResult, type RawBuilder, sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { sparseVectorLiteral } from '#src/platform/vector.ts';
import {
  type CandidateTerms,
  chooseCandidateTerms,
  idf,
  queryVector,
  RARE_ROWS,
  TERM_SPACE,
} from '#src/documents/bm25.ts';
import type { TermCounts } from '#src/documents/term-counts.ts';
import { passageCondition } from './query-conditions.ts';
import { hasFilters } from './search-filters.ts';
import { type FoundChunk, searchable, type SearchScope } from './search-scope.ts';

/** Maximum number of rows scored for one query: 1 µs each on a server, several in WASM. */
export const MAX_SCORED = { embedded: 5_000, 'one-database': 20_000, 'scale-out': 20_000 };
/** Above this share of a workspace's rows, the planner prefers to scan the whole table, which is three times slower. */
const SCAN_SHARE = 0.05;

/**
 * BM25 over the rows of chunks that have no postings yet. An earlier version wrote them: their `sparsevec` holds the
 * document part, the query vector the current idf. The rare terms select the candidates through the GIN index; all terms
 * score them. Only a query made up of common words is approximate: a limited number of the rows that contain them is
 * scored.
 * @param maxScored maximum number of rows scored
 */
export async function searchLooseRows(
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
  // If some rows are invisible, it is unknown how many visible rows contain a term.
  const isNarrowed =
    hasFilters(scope.filters) || scope.userId !== null || scope.conditions.length > 0;
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
  const isFit = looseAndFit(scope);
  const rare = sql`${found} from chunk_terms where terms && ${any}::int[] and ${isFit}`;
  // The union removes rows that both parts find.
  const both =
    all.length === 0
      ? rare
      : sql`${rare} union ${found} from (select * from chunk_terms
          where terms @> ${all}::int[] and ${isFit} limit ${maxScored}) common`;
  return sql<FoundChunk>`select * from (${both}) found order by score desc limit ${scope.limit}`;
}

function looseAndFit(scope: SearchScope): RawBuilder<unknown> {
  const wanted = passageCondition(scope.workspaceId, scope.conditions);
  const loose = sql`not in_postings and ${searchable(scope)}`;
  return wanted === null ? loose : sql`${loose} and ${wanted}`;
}

/** Chunks without postings that have one of the terms, in no order. */
export async function looseRowsWith(
  db: Database,
  scope: SearchScope,
  terms: readonly number[],
): Promise<FoundChunk[]> {
  const statement = sql<FoundChunk>`select chunk_id as key, document_id as "documentId", 0 as score
    from chunk_terms where terms && ${terms}::int[] and ${looseAndFit(scope)} limit ${scope.limit}`;
  const { rows } = await throughIndex(db, statement);
  return rows;
}

/** Those terms that a chunk without postings has which the searcher may see. */
export async function termsOfLooseRows(
  db: Database,
  scope: SearchScope,
  ids: readonly number[],
): Promise<number[]> {
  // For a single row the planner would rather walk through the table than ask the index.
  const { rows } = await throughIndex(
    db,
    sql<{ id: number }>`
      select id from unnest(${ids}::int[]) as term(id)
      where exists (select 1 from chunk_terms
        where not in_postings and terms @> array[id] and ${searchable(scope)})`,
  );
  return rows.map(({ id }) => id);
}

/** Disables table scans, and parallel workers, which do not pay off for so little work. */
function throughIndex<T>(db: Database, statement: RawBuilder<T>): Promise<QueryResult<T>> {
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('enable_seqscan', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true)`.execute(trx);
    return statement.execute(trx);
  });
}
