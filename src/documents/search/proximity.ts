import { DISTANCES } from './weights.ts';

/** Occurrences of a word that are looked at; a word that is everywhere is near everything. */
const MAX_OCCURRENCES = 32;
/** Words of a query that are compared in pairs, the rarest: a query may be a pasted page. */
const MAX_WORDS = 32;

export interface Proximity {
  /** Pairs of query words near each other, each with the idf of its commoner word, per word beside the first. */
  nearby: number;
  /** The same of pairs that are neighbours in the query and stand together, summed. */
  phrase: number;
}

/**
 * How close the words of a query stand in a text, in the unit of BM25 scores (after Rasolofo & Savoy 2003,
 * doi 10.1007/3-540-36618-0_15).
 * @param weights id of a query term → idf, in the order of the query
 * @param terms ids of those of the text, in order
 */
export function proximity(weights: ReadonlyMap<number, number>, terms: Int32Array): Proximity {
  const found = positionsOf(weights, terms);
  let nearby = 0;
  let phrase = 0;
  for (const [second, b] of found.entries()) {
    for (const [first, a] of found.slice(0, second).entries()) {
      const distance = shortestDistance(a.positions, b.positions);
      const weight = Math.min(a.weight, b.weight);
      if (distance <= DISTANCES.near) nearby += weight;
      if (first === second - 1 && distance <= DISTANCES.together) phrase += weight;
    }
  }
  return { nearby: nearby / Math.max(1, found.length - 1), phrase };
}

interface Occurrences {
  weight: number;
  positions: number[];
}

/** One entry for each query term, also for those that do not occur. */
function positionsOf(weights: ReadonlyMap<number, number>, terms: Int32Array): Occurrences[] {
  const rarest = [...weights.values()].sort((a, b) => b - a)[MAX_WORDS - 1] ?? 0;
  const found = new Map<number, Occurrences>();
  for (const [term, weight] of weights) {
    if (weight >= rarest) found.set(term, { weight, positions: [] });
  }
  for (let position = 0; position < terms.length; position += 1) {
    const positions = found.get(terms[position] ?? 0)?.positions;
    if (positions && positions.length < MAX_OCCURRENCES) positions.push(position);
  }
  return [...found.values()];
}

/** Both ascending: the nearest pair is met by walking through both at once. */
function shortestDistance(a: readonly number[], b: readonly number[]): number {
  let shortest = Infinity;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const distance = (a[i] ?? 0) - (b[j] ?? 0);
    shortest = Math.min(shortest, Math.abs(distance));
    if (distance < 0) i += 1;
    else j += 1;
  }
  return shortest;
}
