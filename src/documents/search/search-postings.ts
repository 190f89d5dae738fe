import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { DocumentId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { idf, MAX_WEIGHT } from '#src/documents/bm25.ts';
import type { SegmentList } from '#src/documents/read-postings.ts';
import { BestFirst, type ScoredChunk, scorePostings } from '#src/documents/score-postings.ts';
import type { TermCounts } from '#src/documents/term-counts.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { demandedTermIds, passageCondition } from './query-conditions.ts';
import { chunksWithAll, readTermLists, type TermLists } from './read-term-lists.ts';
import { type FoundChunk, searchable, type SearchScope } from './search-scope.ts';

/** Postings scored for one question: 10 ms for a million. The commonest words beyond are left out. */
const MAX_POSTINGS = 10_000_000;
/** The event loop is let go after this time. */
const LONGEST_STRETCH_MS = 15;
/** Chunks beyond those wanted that are looked at first: a few may be gone or hidden. */
const SPARE = 100;
/** Each further look takes this many times as many. */
const WIDEN = 4;
/** How many chunks a search looks at whose filters let few of the best pass. */
const LIMITS = {
  /** Best chunks that are looked at first. When fewer of them than wanted pass, few rows of the workspace do. */
  checked: 6_000,
  /** Then those that pass are read, unless they are more than this. */
  permitted: 20_000,
  /** In that case, best chunks that are looked at in all. */
  checkedInAll: 60_000,
};

/** What the postings say of a query. */
export interface PostingScores {
  best: BestFirst;
  /** Some chunks have no postings yet. */
  someAreLoose: boolean;
  /** The commonest words had too many postings: chunks with no other word have no score. */
  isCut: boolean;
}

/**
 * The BM25 score of every chunk of the workspace that has a word of the query, whoever may see it.
 * @param listed the segments, if they were read already
 */
export async function scoreByPostings(
  db: Database,
  workspaceId: WorkspaceId,
  queryTerms: ReadonlyMap<number, number>,
  counts: TermCounts,
  listed: SegmentList | null = null,
): Promise<PostingScores> {
  const weights = weighTerms(queryTerms, counts);
  const lists = await readTermLists(db, workspaceId, [...weights.keys()], listed);
  const best = await scoreAll(lists, weights);
  return { best, someAreLoose: lists.someAreLoose, isCut: weights.size < queryTerms.size };
}

/** The best chunks that the searcher may see and that pass the filters. */
export async function takeVisible(
  db: Database,
  scope: SearchScope,
  best: BestFirst,
  limits: typeof LIMITS = LIMITS,
): Promise<FoundChunk[]> {
  const found: FoundChunk[] = [];
  const seen = new Set<number>();
  let checked = 0;
  let isTurned = false;
  for (let wanted = scope.limit + SPARE; ; wanted *= WIDEN) {
    const most = isTurned ? checked + limits.checked : limits.checked;
    const next = best.take(Math.min(wanted, most)).slice(checked);
    found.push(...(await visibleOf(db, scope, firstOfEach(next, seen))));
    checked += next.length;
    const isEnough = found.length >= scope.limit || checked >= best.count;
    if (isEnough || checked >= limits.checkedInAll) return found.slice(0, scope.limit);
    if (checked >= limits.checked && !isTurned) {
      isTurned = true;
      const permitted = await bestPermitted(db, scope, best, limits.permitted);
      if (permitted !== null) return permitted.slice(0, scope.limit);
    }
  }
}

/**
 * The other way round: all chunks that pass, of which those are kept that have a word of the query.
 * @returns null when too many pass
 */
export async function bestPermitted(
  db: Database,
  scope: SearchScope,
  best: BestFirst,
  most: number = LIMITS.permitted,
): Promise<FoundChunk[] | null> {
  const { table, isFit } = fitRows(scope);
  const demanded = await demandedChunks(db, scope, most);
  const isThere = demanded === null ? isFit : sql`${oneOf(demanded)} and ${isFit}`;
  const { rows } = await sql<{ chunk_id: number; document_id: DocumentId }>`
    select chunk_id, document_id from ${table} where ${isThere} limit ${most + 1}`.execute(db);
  if (rows.length > most) return null;
  const documents = new Map(rows.map((row) => [row.chunk_id, row.document_id]));
  const passing = firstOfEach(best.among(documents), new Set());
  return withDocuments(passing, documents);
}

/** Chunks among which are all that the query demands words of; null when it demands none, or they are many. */
async function demandedChunks(
  db: Database,
  { workspaceId, conditions }: SearchScope,
  most: number,
): Promise<number[] | null> {
  const demanded = demandedTermIds(workspaceId, conditions);
  if (demanded.length === 0) return null;
  const current = new Set(demanded.flatMap((terms) => terms.current));
  const older = new Set(demanded.flatMap((terms) => terms.older));
  const lists = await readTermLists(db, workspaceId, [...current, ...older]);
  return chunksWithAll(lists, { current, older }, most);
}

/** A chunk whose terms were made again is in an older segment, too, until that is dropped: its better score counts. */
function firstOfEach(chunks: readonly ScoredChunk[], seen: Set<number>): ScoredChunk[] {
  return chunks.filter(({ key }) => {
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
}

/** Query weights of the terms that occur, rarest first, as far as the limit of postings allows. */
function weighTerms(
  queryTerms: ReadonlyMap<number, number>,
  { df, chunks }: TermCounts,
): Map<number, number> {
  const weights = new Map<number, number>();
  const rarestFirst = [...queryTerms].sort(([a], [b]) => (df.get(a) ?? 0) - (df.get(b) ?? 0));
  let postings = 0;
  for (const [term, count] of rarestFirst) {
    const own = df.get(term) ?? 0;
    postings += own;
    if (postings > MAX_POSTINGS && weights.size > 0) break;
    weights.set(term, count * idf(own, chunks));
  }
  return weights;
}

async function scoreAll(
  { segments }: TermLists,
  weights: ReadonlyMap<number, number>,
): Promise<BestFirst> {
  const most = [...weights.values()].reduce((sum, weight) => sum + weight * MAX_WEIGHT, 0);
  const best = new BestFirst(most);
  let startedMs = performance.now();
  for (const { directory, lists } of segments) {
    const weighted = Array.from(weights, ([term, weight]) => {
      const list = lists.get(term);
      return list ? [{ list, weight }] : [];
    }).flat();
    if (weighted.length > 0) best.add(directory.ids, scorePostings(directory, weighted));
    if (performance.now() - startedMs > LONGEST_STRETCH_MS) {
      await nextTurn();
      startedMs = performance.now();
    }
  }
  return best;
}

/** Those of these chunks that the searcher may see and that pass the filters, in their order. */
export async function visibleOf(
  db: Database,
  scope: SearchScope,
  chunks: readonly ScoredChunk[],
): Promise<FoundChunk[]> {
  if (chunks.length === 0) return [];
  const { table, isFit } = fitRows(scope);
  const { rows } = await sql<{ chunk_id: number; document_id: DocumentId }>`
    select chunk_id, document_id from ${table}
    where ${oneOf(chunks.map(({ key }) => key))} and ${isFit}`.execute(db);
  return withDocuments(chunks, new Map(rows.map((row) => [row.chunk_id, row.document_id])));
}

/** As text: the client takes as long to quote an array of numbers as to read the rows. */
function oneOf(chunkIds: readonly number[]) {
  return sql`chunk_id = any(${`{${chunkIds.join(',')}}`}::text::bigint[])`;
}

/** Each chunk has a row in both tables; that of its vector is narrower, that of its terms knows its words. */
function fitRows(scope: SearchScope) {
  const wanted = passageCondition(scope.workspaceId, scope.conditions);
  if (wanted === null) return { table: sql.table('chunk_vector'), isFit: searchable(scope) };
  return { table: sql.table('chunk_terms'), isFit: sql`${searchable(scope)} and ${wanted}` };
}

function withDocuments(
  chunks: readonly ScoredChunk[],
  documents: ReadonlyMap<number, DocumentId>,
): FoundChunk[] {
  return chunks.flatMap(({ key, score }) => {
    const documentId = documents.get(key);
    return documentId === undefined ? [] : [{ key, documentId, score }];
  });
}
