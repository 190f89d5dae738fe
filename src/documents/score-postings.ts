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

/**
 * The inner loop of word search: millions of postings pass here, so it calls nothing. Weights are rounded
 * as `weightsOf` has them.
 */
function addScores(
  scores: Float64Array,
  norms: Float64Array,
  bytes: Uint8Array,
  weight: number,
): void {
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
    const own = norm < 0 ? weightOfBits(count) : Math.fround((count * MAX_WEIGHT) / (count + norm));
    scores[place] = (scores[place] ?? 0) + weight * own;
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

const BARS = 4_096;
/** Of so many scores one is looked at, to guess which are among the best. */
const SAMPLED = 16;

/** Best first, equal scores by id, and the next ones only when they are asked for: few are. */
export class BestFirst {
  readonly #parts: { ids: Float64Array; scores: Float64Array }[] = [];
  readonly #scale: number;
  #bars: Uint32Array | null = null;

  /** @param most no score is above this */
  constructor(most: number) {
    this.#scale = BARS / most;
  }

  add(ids: Float64Array, scores: Float64Array): void {
    this.#parts.push({ ids, scores });
    this.#bars = null;
  }

  get count(): number {
    return this.#tally().reduce((sum, count) => sum + count, 0);
  }

  /** The best `wanted` chunks, or all when there are fewer. */
  take(wanted: number): ScoredChunk[] {
    const likely = this.#likelyBar(wanted);
    const guessed = this.#from(likely);
    const isEnough = guessed.length >= wanted || likely === 0;
    const found = isEnough ? guessed : this.#from(this.#firstBar(wanted));
    return found.sort(byScore).slice(0, wanted);
  }

  /** Like `take`, but in no order, and with any of those that are about as good as the last: sorting takes long. */
  takeUnordered(wanted: number): ScoredChunk[] {
    const least = this.#firstBar(wanted);
    const found = this.#from(least + 1);
    const rest: ScoredChunk[] = [];
    for (const { ids, scores } of this.#parts) {
      for (let place = 0; place < scores.length && rest.length < wanted; place += 1) {
        const score = scores[place] ?? 0;
        if (score === 0 || Math.floor(score * this.#scale) !== least) continue;
        rest.push({ key: ids[place] ?? 0, score });
      }
    }
    return [...found, ...rest.slice(0, Math.max(0, wanted - found.length))];
  }

  /** Those of these chunks that have a score, best first. */
  among(keys: { has(key: number): boolean }): ScoredChunk[] {
    const found: ScoredChunk[] = [];
    for (const { ids, scores } of this.#parts) {
      for (let place = 0; place < scores.length; place += 1) {
        const score = scores[place] ?? 0;
        const key = ids[place] ?? 0;
        if (score !== 0 && keys.has(key)) found.push({ key, score });
      }
    }
    return found.sort(byScore);
  }

  /** The lowest bar of the best `wanted` chunks; 0 when there are fewer. */
  #firstBar(wanted: number): number {
    return lowestBar(this.#tally(), wanted);
  }

  /** A bar that is rarely above the lowest one, and below it by half as many chunks again. */
  #likelyBar(wanted: number): number {
    const expected = wanted / SAMPLED;
    return lowestBar(this.#barsOf(SAMPLED), expected + 3 * Math.sqrt(expected));
  }

  #tally(): Uint32Array {
    return (this.#bars ??= this.#barsOf(1));
  }

  #barsOf(step: number): Uint32Array {
    const bars = new Uint32Array(BARS + 2);
    for (const { scores } of this.#parts) countInBars(scores, bars, this.#scale, step);
    return bars;
  }

  #from(least: number): ScoredChunk[] {
    const found: ScoredChunk[] = [];
    for (const { ids, scores } of this.#parts) {
      collect(found, ids, scores, { least, scale: this.#scale });
    }
    return found;
  }
}

function lowestBar(bars: Uint32Array, wanted: number): number {
  let bar = BARS + 1;
  for (let sum = bars[bar] ?? 0; sum < wanted && bar > 0; sum += bars[bar] ?? 0) bar -= 1;
  return bar;
}

/** Adds every `step`-th score to their histogram. */
function countInBars(scores: Float64Array, bars: Uint32Array, scale: number, step: number): void {
  for (let place = 0; place < scores.length; place += step) {
    const score = scores[place] ?? 0;
    if (score === 0) continue;
    const bar = Math.floor(score * scale);
    bars[bar] = (bars[bar] ?? 0) + 1;
  }
}

function collect(
  found: ScoredChunk[],
  ids: Float64Array,
  scores: Float64Array,
  { least, scale }: { least: number; scale: number },
): void {
  // One condition that is rarely true: a processor guesses it well, and is as fast as it reads.
  const low = Math.max(least, Number.MIN_VALUE);
  for (let place = 0; place < scores.length; place += 1) {
    const score = scores[place] ?? 0;
    if (score * scale < low) continue;
    found.push({ key: ids[place] ?? 0, score });
  }
}

function byScore(a: ScoredChunk, b: ScoredChunk): number {
  return b.score - a.score || a.key - b.key;
}
