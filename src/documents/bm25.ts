import { hash32 } from './hash-text.ts';
import { sortIds } from './sort-ids.ts';

/** Term ids live in [0, TERM_SPACE): below pgvector's limit of 1e9 sparsevec dimensions and positive as an int4. */
export const TERM_SPACE = 2 ** 29;
/**
 * Terms in an average chunk: a constant, so that stored weights never become stale. Chunks are bounded in size (36 to
 * 129 terms on average in three test collections), and 60–100 works best for all three.
 */
export const AVERAGE_TERMS = 80;

const K1 = 1.2;
const B = 0.75;
/** The weight that many occurrences of a term approach. */
export const MAX_WEIGHT = K1 + 1;
/** Terms in fewer than this share of the rows select the candidates; pruning at 2–5 % does not reduce relevance. */
const RARE_SHARE = 0.05;
/** A term in fewer rows than this is cheap to look up whatever its share, so small workspaces lose no results. */
export const RARE_ROWS = 500;
const MIN_CANDIDATE_TERMS = 2;
/** Common words are combined only if that is likely to leave this many times the wanted rows. */
const MIN_TOGETHER = 5;

export interface TermVector {
  /** Distinct term ids, ascending. */
  ids: Int32Array;
  /** One positive weight per id. */
  weights: Float32Array;
}

export interface OccurringTerms {
  /** Distinct term ids, ascending. */
  ids: Int32Array;
  /** One count per id. */
  counts: Uint32Array;
}

export interface WeightedTerm {
  id: number;
  idf: number;
  /** Rows that contain the term. */
  df: number;
}

/** 32-bit hash of the workspace id. It scatters term ids, so that one GIN index is selective for every workspace. */
export function workspaceSalt(workspaceId: string): number {
  return hash32(workspaceId, 0);
}

/** Id of a term in [0, TERM_SPACE) under a workspace's salt. */
export function termId(term: string, salt: number): number {
  return hash32(term, salt) >>> 3;
}

/** How often each term id occurs in `terms`. */
export function countTermIds(terms: readonly string[], salt: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const term of terms) {
    const id = termId(term, salt);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/**
 * The document part of BM25, `tf·(k1+1) / (tf + k1·(1 - b + b·dl/avgdl))` with k1 = 1.2 and b = 0.75. Its inner product
 * with `queryVector` is the BM25 score (Robertson & Zaragoza 2009).
 *
 * @param occurrences the term ids of a text in any order, one for each occurrence
 */
export function documentWeights(occurrences: Int32Array): TermVector {
  const { ids, counts } = countOccurrences(occurrences);
  const { length } = occurrences;
  return { ids, weights: Float32Array.from(counts, (count) => termWeight(count, length)) };
}

/** The distinct ids of a text, ascending, and how often each occurs. */
export function countOccurrences(occurrences: Int32Array): OccurringTerms {
  const { length } = occurrences;
  const sorted = sortIds(occurrences);
  if (length > countBuffer.length) countBuffer = new Uint32Array(2 * length);
  const counts = countBuffer;
  let distinct = 0;
  for (let at = 0; at < length;) {
    const id = sorted[at] ?? 0;
    const first = at;
    while (at < length && sorted[at] === id) at += 1;
    // The ids that were read make room for those that are distinct.
    sorted[distinct] = id;
    counts[distinct] = at - first;
    distinct += 1;
  }
  return { ids: sorted.slice(0, distinct), counts: counts.slice(0, distinct) };
}

/** To make an array takes longer than to fill one. */
let countBuffer = new Uint32Array(1024);

/** The document part for one term that occurs `tf` times in a text of `length` terms. */
export function termWeight(tf: number, length: number): number {
  return (tf * MAX_WEIGHT) / (tf + lengthNorm(length));
}

/** The part of the weight that depends on the text alone: terms of a long text count less. */
export function lengthNorm(length: number): number {
  return K1 * (1 - B + (B * length) / AVERAGE_TERMS);
}

/** The query part: idf times the number of occurrences in the query. A missing id has a `df` of 0. */
export function queryVector(
  counts: ReadonlyMap<number, number>,
  df: ReadonlyMap<number, number>,
  n: number,
): TermVector {
  return toVector(counts, (id, count) => count * idf(df.get(id) ?? 0, n));
}

/** Lucene's idf, `ln(1 + (n - df + 0.5)/(df + 0.5))`: positive even for a term in all n rows. */
export function idf(df: number, n: number): number {
  // Counters may briefly run ahead of n.
  const rows = Math.max(n, df);
  return Math.log(1 + (rows - df + 0.5) / (df + 0.5));
}

/** Selects the rows to score. Scoring every row by all terms would be exact, but too slow for common words. */
export interface CandidateTerms {
  /** Rows with any of these terms are candidates. */
  any: number[];
  /** Upper bound for the number of those rows. */
  rows: number;
  /** If those are too few: also some of the rows that contain all of these common terms. Empty if they suffice. */
  all: number[];
}

/**
 * The rare terms fetch the candidates, and so do the two rarest terms that occur at all, as long as they match no more
 * than `maxRows` rows. A term beyond that limit is so common that it carries little weight; it is used only if the
 * rarer terms bring fewer than `wantedRows`.
 * @param n rows of the workspace
 */
export function chooseCandidateTerms(
  weighted: readonly WeightedTerm[],
  n: number,
  { maxRows, wantedRows }: { maxRows: number; wantedRows: number },
): CandidateTerms {
  const limit = Math.max(n * RARE_SHARE, RARE_ROWS);
  const rarestFirst = weighted.toSorted((a, b) => a.df - b.df);
  const any: number[] = [];
  let rows = 0;
  let occurring = 0;
  for (const { id, df } of rarestFirst) {
    const isWanted = df < limit || occurring < MIN_CANDIDATE_TERMS;
    if (!isWanted || rows + df > maxRows) break;
    // A term that is not counted yet costs nothing to look up.
    any.push(id);
    rows += df;
    if (df > 0) occurring += 1;
  }
  const left = rarestFirst.slice(any.length);
  const isEnough = rows >= wantedRows || occurring >= MIN_CANDIDATE_TERMS;
  return { any, rows, all: isEnough ? [] : commonTogether(left, n, maxRows, wantedRows) };
}

/** Takes terms, rarest first, until the rows that contain all of them are few enough, but not too few. */
function commonTogether(
  rarestFirst: readonly WeightedTerm[],
  n: number,
  maxRows: number,
  wantedRows: number,
): number[] {
  const chosen: number[] = [];
  let rows = n;
  for (const { id, df } of rarestFirst) {
    // Assumes that words are independent; those of one query co-occur more often.
    const together = rows * Math.min(1, df / Math.max(1, n));
    if (chosen.length > 0 && (rows <= maxRows || together < MIN_TOGETHER * wantedRows)) break;
    chosen.push(id);
    rows = together;
  }
  return chosen;
}

function toVector(
  counts: ReadonlyMap<number, number>,
  weigh: (id: number, count: number) => number,
): TermVector {
  const ids = Int32Array.from(counts.keys()).sort();
  const weights = new Float32Array(ids.length);
  for (let index = 0; index < ids.length; index += 1) {
    const id = ids[index] ?? 0;
    weights[index] = weigh(id, counts.get(id) ?? 0);
  }
  return { ids, weights };
}
