import { RANK_WEIGHTS } from './weights.ts';

export interface Scored {
  key: number;
  score: number;
}

/** Below this many hits, min–max scaling stretches noise over the whole range, so ranks are fused instead. */
const MIN_HITS_FOR_SCORES = 5;

/** The score of both legs together, and what each of them gave to it. */
export interface Fused extends Scored {
  lexical: number;
  dense: number;
}

/**
 * Merges the hits of both legs into one list, best first, with scores in 0…1.
 * Convex combination `(1 - w)·lexical + w·dense` of min–max normalized scores (Bruch et al. 2023, arXiv 2210.11934); a
 * key missing from a leg scores 0 there. If a leg has fewer than 5 hits: weighted reciprocal ranks. A leg without hits or
 * without weight says nothing, and the other one decides.
 * Keys are distinct within a leg; ties are ordered by key, so that the result is deterministic.
 */
export function fuseScores(
  lexical: readonly Scored[],
  dense: readonly Scored[],
  denseWeight: number,
): Fused[] {
  const { lexical: ofWords, dense: ofVectors } = RANK_WEIGHTS;
  const legs = [
    { hits: lexical, weight: 1 - denseWeight, rankWeight: ofWords, name: 'lexical' },
    { hits: dense, weight: denseWeight, rankWeight: ofVectors, name: 'dense' },
  ] as const;
  const saying = legs.filter(({ hits, weight }) => hits.length > 0 && weight > 0);
  const areScored = saying.every(({ hits }) => hits.length >= MIN_HITS_FOR_SCORES);
  const best = (ofWords + ofVectors) / (RANK_WEIGHTS.k + 1);
  const given = { lexical: new Map<number, number>(), dense: new Map<number, number>() };
  for (const { hits, weight, rankWeight, name } of saying) {
    given[name] = areScored ? minMax(hits, weight) : reciprocalRanks(hits, rankWeight / best);
  }
  const keys = new Set([...lexical, ...dense].map(({ key }) => key));
  return Array.from(keys, (key) => {
    const parts = { lexical: given.lexical.get(key) ?? 0, dense: given.dense.get(key) ?? 0 };
    return { key, ...parts, score: parts.lexical + parts.dense };
  }).sort(byScore);
}

function minMax(hits: readonly Scored[], weight: number): Map<number, number> {
  let low = Infinity;
  let high = -Infinity;
  for (const { score } of hits) {
    low = Math.min(low, score);
    high = Math.max(high, score);
  }
  const range = high - low;
  return new Map(
    hits.map(({ key, score }) => [key, weight * (range === 0 ? 1 : (score - low) / range)]),
  );
}

function reciprocalRanks(hits: readonly Scored[], weight: number): Map<number, number> {
  return new Map(
    hits.toSorted(byScore).map(({ key }, rank) => [key, weight / (RANK_WEIGHTS.k + 1 + rank)]),
  );
}

function byScore(a: Scored, b: Scored): number {
  return b.score - a.score || a.key - b.key;
}
