import { RANK_WEIGHTS } from './weights.ts';

export interface Scored {
  key: number;
  score: number;
}

/** Below this many hits, min–max scaling stretches noise over the whole range, so ranks are fused instead. */
const MIN_HITS_FOR_SCORES = 5;

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
): Scored[] {
  const legs = [
    { hits: lexical, weight: 1 - denseWeight, rankWeight: RANK_WEIGHTS.lexical },
    { hits: dense, weight: denseWeight, rankWeight: RANK_WEIGHTS.dense },
  ].filter(({ hits, weight }) => hits.length > 0 && weight > 0);
  const areScored = legs.every(({ hits }) => hits.length >= MIN_HITS_FOR_SCORES);
  const best = (RANK_WEIGHTS.lexical + RANK_WEIGHTS.dense) / (RANK_WEIGHTS.k + 1);
  const fused = new Map([...lexical, ...dense].map(({ key }) => [key, 0]));
  for (const { hits, weight, rankWeight } of legs) {
    if (areScored) addMinMax(fused, hits, weight);
    else addReciprocalRanks(fused, hits, rankWeight / best);
  }
  return Array.from(fused, ([key, score]) => ({ key, score })).sort(byScore);
}

function addMinMax(fused: Map<number, number>, hits: readonly Scored[], weight: number): void {
  let low = Infinity;
  let high = -Infinity;
  for (const { score } of hits) {
    low = Math.min(low, score);
    high = Math.max(high, score);
  }
  const range = high - low;
  for (const { key, score } of hits) {
    const share = range === 0 ? 1 : (score - low) / range;
    fused.set(key, (fused.get(key) ?? 0) + weight * share);
  }
}

function addReciprocalRanks(
  fused: Map<number, number>,
  hits: readonly Scored[],
  weight: number,
): void {
  for (const [rank, { key }] of hits.toSorted(byScore).entries()) {
    fused.set(key, (fused.get(key) ?? 0) + weight / (RANK_WEIGHTS.k + 1 + rank));
  }
}

function byScore(a: Scored, b: Scored): number {
  return b.score - a.score || a.key - b.key;
}
