import { lengthNorm, MAX_WEIGHT, termWeight } from './bm25.ts';

/** How often each term of a chunk occurs, and how many terms it has. */
export interface TermFrequencies {
  /** Null: the weights were made by another formula, and `counts` holds their bits. */
  length: number | null;
  /** In the order of the weights. */
  counts: Uint32Array;
}

/** Nearly every chunk has a term that occurs once; one of a table may not. */
const MAX_RAREST_COUNT = 8;
const MAX_LENGTH = 1_000_000;

/**
 * Finds the whole numbers behind the BM25 weights of a chunk (from `documentWeights`): they take a fourth of the space.
 * Every weight is checked to be exactly the one that the numbers give; where no numbers do, the weights are kept.
 */
export function termFrequencies(weights: Float32Array): TermFrequencies {
  const least = weights.reduce((a, b) => Math.min(a, b), Infinity);
  for (let rarest = 1; rarest <= MAX_RAREST_COUNT; rarest += 1) {
    const length = lengthOf(least, rarest);
    if (length < 1 || length > MAX_LENGTH) continue;
    const counts = countsFor(weights, length);
    if (counts) return { length, counts };
  }
  return { length: null, counts: new Uint32Array(weights.slice().buffer) };
}

/** The number of terms for which a term that occurs `count` times has this weight. */
function lengthOf(weight: number, count: number): number {
  const norm = count * (MAX_WEIGHT / weight - 1);
  return Math.round((norm - lengthNorm(0)) / (lengthNorm(1) - lengthNorm(0)));
}

function countsFor(weights: Float32Array, length: number): Uint32Array | null {
  const norm = lengthNorm(length);
  const counts = new Uint32Array(weights.length);
  for (const [at, weight] of weights.entries()) {
    const count = Math.round((weight * norm) / (MAX_WEIGHT - weight));
    if (count < 1 || Math.fround(termWeight(count, length)) !== weight) return null;
    counts[at] = count;
  }
  return counts;
}
