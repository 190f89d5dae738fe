import { MAX_WEIGHT } from './bm25.ts';
import type { Directory, PostingList } from './posting-bytes.ts';

export interface WeightedList {
  list: PostingList;
  /** Of the term in the query. */
  weight: number;
}

const bits = new Uint32Array(1);
const asFloat = new Float32Array(bits.buffer);

/** Adds the BM25 scores of a segment's chunks, by place. A chunk that has none of the terms keeps 0. */
export function scorePostings({ norms }: Directory, lists: readonly WeightedList[]): Float64Array {
  const scores = new Float64Array(norms.length);
  for (const { list, weight } of lists) addScores(scores, norms, list.bytes, weight);
  return scores;
}

/** The inner loop of word search: some millions of postings in a second may pass here, so it calls nothing. */
function addScores(
  scores: Float64Array,
  norms: Float64Array,
  bytes: Uint8Array,
  weight: number,
): void {
  const most = weight * MAX_WEIGHT;
  let place = -1;
  for (let at = 0; at < bytes.length;) {
    let byte = bytes[at] ?? 0;
    at += 1;
    let gap = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at] ?? 0;
      at += 1;
      gap |= (byte & 0x7f) << shift;
    }
    place += gap >>> 1;
    let count = 1;
    if ((gap & 1) === 1) {
      byte = bytes[at] ?? 0;
      at += 1;
      count = byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = bytes[at] ?? 0;
        at += 1;
        count |= (byte & 0x7f) << shift;
      }
    }
    const norm = norms[place] ?? 0;
    const own = norm < 0 ? weight * weightOfBits(count) : (count * most) / (count + norm);
    scores[place] = (scores[place] ?? 0) + own;
  }
}

function weightOfBits(count: number): number {
  bits[0] = count;
  return asFloat[0] ?? 0;
}

export interface ScoredChunk {
  key: number;
  score: number;
}

/** Best first, equal scores by id, and the next ones only when they are asked for: few are. */
export class BestFirst {
  readonly #parts: { ids: Float64Array; scores: Float64Array }[] = [];
  #high = 0;
  #count = 0;

  add(ids: Float64Array, scores: Float64Array): void {
    for (const score of scores) {
      if (score > 0) this.#count += 1;
      if (score > this.#high) this.#high = score;
    }
    this.#parts.push({ ids, scores });
  }

  get count(): number {
    return this.#count;
  }

  /** The best `wanted` chunks, or all when there are fewer. */
  take(wanted: number): ScoredChunk[] {
    const least = wanted >= this.#count ? 0 : this.#threshold(wanted);
    const found: ScoredChunk[] = [];
    for (const { ids, scores } of this.#parts) {
      for (let place = 0; place < scores.length; place += 1) {
        const score = scores[place] ?? 0;
        if (score > 0 && score >= least) found.push({ key: ids[place] ?? 0, score });
      }
    }
    return found.sort(byScore).slice(0, wanted);
  }

  /** Those of these chunks that have a score. */
  among(keys: { has(key: number): boolean }): ScoredChunk[] {
    const found: ScoredChunk[] = [];
    for (const { ids, scores } of this.#parts) {
      for (let place = 0; place < scores.length; place += 1) {
        const score = scores[place] ?? 0;
        const key = ids[place] ?? 0;
        if (score > 0 && keys.has(key)) found.push({ key, score });
      }
    }
    return found.sort(byScore);
  }

  /** A score that at least `wanted` chunks reach, and not many more: the lower end of a bar of their histogram. */
  #threshold(wanted: number): number {
    const bars = new Uint32Array(BARS + 1);
    const scale = BARS / this.#high;
    for (const { scores } of this.#parts) {
      for (const score of scores) {
        if (score <= 0) continue;
        const bar = Math.floor(score * scale);
        bars[bar] = (bars[bar] ?? 0) + 1;
      }
    }
    let bar = BARS;
    for (let sum = bars[bar] ?? 0; sum < wanted && bar > 0; sum += bars[bar] ?? 0) bar -= 1;
    // A score at the very edge may be counted in the bar above.
    return Math.max(0, bar - 1) / scale;
  }
}

const BARS = 4_096;

function byScore(a: ScoredChunk, b: ScoredChunk): number {
  return b.score - a.score || a.key - b.key;
}
