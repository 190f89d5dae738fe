import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { DocumentId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { idf, MAX_WEIGHT } from '#src/documents/bm25.ts';
import { type Directory, type PostingList, postingLists } from '#src/documents/posting-bytes.ts';
import {
  bucketName,
  listSegments,
  readBuckets,
  readDirectories,
  type Segment,
  type SegmentList,
} from '#src/documents/read-postings.ts';
import { BestFirst, type ScoredChunk, scorePostings } from '#src/documents/score-postings.ts';
import type { TermCounts } from '#src/documents/term-counts.ts';
import { bucketOf } from '#src/documents/write-postings.ts';
import { passageCondition } from './query-conditions.ts';
import { type FoundChunk, searchable, type SearchScope } from './search-terms.ts';

/** Postings scored for one question: 10 ms for a million. The commonest words beyond are left out. */
const MAX_POSTINGS = 10_000_000;
/** The event loop is let go after this time. */
const LONGEST_STRETCH_MS = 15;
/** Chunks beyond those wanted that are looked at first: a few may be gone or hidden. */
const SPARE = 100;
/** Each further look takes this many times as many. */
const WIDEN = 4;
/** Best chunks that are looked at, at most. When fewer of them than wanted pass, few rows of the workspace do. */
const MAX_CHECKED = 6_000;
/** Then those that pass are read, unless they are more than this. */
const MOST_PERMITTED = 20_000;
/** Merging replaces segments while they are read: then they are listed again. */
const MAX_READS = 5;

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
 * @returns null when segments are replaced faster than they are read
 */
export async function scoreByPostings(
  db: Database,
  { workspaceId }: SearchScope,
  queryTerms: ReadonlyMap<number, number>,
  counts: TermCounts,
  listed: SegmentList | null = null,
): Promise<PostingScores | null> {
  const weights = weighTerms(queryTerms, counts);
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const known = reads === 0 ? listed : null;
    const { segments, someAreLoose } = known ?? (await listSegments(db, workspaceId));
    const read = await readSegments(db, segments, [...weights.keys()]);
    if (read === null) continue;
    const best = await scoreAll(segments, read, weights);
    return { best, someAreLoose, isCut: weights.size < queryTerms.size };
  }
  return null;
}

/**
 * The best chunks that the searcher may see and that pass the filters.
 * @returns null when too few of the best pass, so that others must be looked for
 */
export async function takeVisible(
  db: Database,
  scope: SearchScope,
  best: BestFirst,
  mostChecked: number = MAX_CHECKED,
): Promise<FoundChunk[] | null> {
  const found: FoundChunk[] = [];
  const seen = new Set<number>();
  let checked = 0;
  for (let wanted = scope.limit + SPARE; ; wanted *= WIDEN) {
    const next = best.take(Math.min(wanted, mostChecked)).slice(checked);
    found.push(...(await visibleOf(db, scope, firstOfEach(next, seen))));
    checked += next.length;
    if (found.length >= scope.limit || checked >= best.count) return found.slice(0, scope.limit);
    if (checked >= mostChecked) {
      return (await bestPermitted(db, scope, best))?.slice(0, scope.limit) ?? null;
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
): Promise<FoundChunk[] | null> {
  const { table, isFit } = fitRows(scope);
  const { rows } = await sql<{ chunk_id: number; document_id: DocumentId }>`
    select chunk_id, document_id from ${table} where ${isFit} limit ${MOST_PERMITTED + 1}`.execute(
    db,
  );
  if (rows.length > MOST_PERMITTED) return null;
  const documents = new Map(rows.map((row) => [row.chunk_id, row.document_id]));
  const passing = firstOfEach(best.among(documents), new Set());
  return withDocuments(passing, documents);
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

interface ReadSegments {
  directories: Map<string, Directory>;
  buckets: Map<string, Uint8Array>;
}

async function readSegments(
  db: Database,
  segments: readonly Segment[],
  terms: readonly number[],
): Promise<ReadSegments | null> {
  const places = segments.flatMap(({ id, buckets }) =>
    [...new Set(terms.map((term) => bucketOf(term, buckets)))].map((bucket) => ({
      segmentId: id,
      bucket,
    })),
  );
  const [directories, buckets] = await Promise.all([
    readDirectories(db, segments),
    readBuckets(db, places),
  ]);
  const isWhole = directories.size === segments.length && buckets.size === places.length;
  return isWhole ? { directories, buckets } : null;
}

async function scoreAll(
  segments: readonly Segment[],
  { directories, buckets }: ReadSegments,
  weights: ReadonlyMap<number, number>,
): Promise<BestFirst> {
  const most = [...weights.values()].reduce((sum, weight) => sum + weight * MAX_WEIGHT, 0);
  const best = new BestFirst(most);
  let startedMs = performance.now();
  for (const { id: segmentId, buckets: width } of segments) {
    const directory = directories.get(segmentId);
    if (!directory) continue;
    const lists = Array.from(weights, ([term, weight]) => {
      const bytes = buckets.get(bucketName({ segmentId, bucket: bucketOf(term, width) }));
      const list = bytes ? listOf(bytes, term) : null;
      return list ? [{ list, weight }] : [];
    }).flat();
    if (lists.length > 0) best.add(directory.ids, scorePostings(directory, lists));
    if (performance.now() - startedMs > LONGEST_STRETCH_MS) {
      await nextTurn();
      startedMs = performance.now();
    }
  }
  return best;
}

function listOf(bytes: Uint8Array, term: number): PostingList | null {
  return postingLists(bytes, term)[0] ?? null;
}

/** Those of these chunks that the searcher may see and that pass the filters, in their order. */
export async function visibleOf(
  db: Database,
  scope: SearchScope,
  chunks: readonly ScoredChunk[],
): Promise<FoundChunk[]> {
  if (chunks.length === 0) return [];
  // As text: the client takes as long to quote an array of numbers as to read the rows.
  const ids = `{${chunks.map(({ key }) => key).join(',')}}`;
  const { table, isFit } = fitRows(scope);
  const { rows } = await sql<{ chunk_id: number; document_id: DocumentId }>`
    select chunk_id, document_id from ${table}
    where chunk_id = any(${ids}::text::bigint[]) and ${isFit}`.execute(db);
  return withDocuments(chunks, new Map(rows.map((row) => [row.chunk_id, row.document_id])));
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
