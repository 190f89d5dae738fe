import { documentWeights } from '#src/documents/bm25.ts';
import { dot, foldIn, type LatentBasis, toUnit } from '#src/documents/latent-basis.ts';
import { LATENT } from './weights.ts';

interface Rated {
  score: number;
  /** Ids of its terms. */
  terms: Int32Array;
}

interface Folded {
  basis: LatentBasis;
  vector: Float64Array;
}

/** By the terms of a text: as long as a search or a process keeps these, they are folded in once. */
const foldedTexts = new WeakMap<Int32Array, Folded>();

/**
 * How near each chunk is to what is meant, from 0 to 1: its cosine in the latent space with the query and, for as much,
 * with the best chunks (feedback after Rocchio 1971). So a chunk without a word of the query may be near it, and words
 * of a short query that mean several things are read as the best chunks have them.
 *
 * Terms of the query that none of the chunks has count for nothing: of a word that only documents private to others
 * have, the order must not tell what it goes together with.
 * @returns one for each chunk; zeros when no term of the query counts
 */
export function latentScores(
  basis: LatentBasis,
  queryTerms: readonly number[],
  chunks: readonly Rated[],
): number[] {
  const asked = queryTerms.filter((term) => chunks.some(({ terms }) => terms.includes(term)));
  const query = fold(basis, Int32Array.from(asked));
  if (query.every((value) => value === 0)) return chunks.map(() => 0);
  const vectors = chunks.map(({ terms }) => foldOnce(basis, terms));
  const best = new Float64Array(query.length);
  const order = chunks.map((_, at) => at).sort((a, b) => scoreAt(chunks, b) - scoreAt(chunks, a));
  for (const at of order.slice(0, LATENT.feedback)) {
    const weight = Math.max(0, scoreAt(chunks, at));
    vectors[at]?.forEach((value, axis) => {
      best[axis] = (best[axis] ?? 0) + weight * value;
    });
  }
  toUnit(best);
  const meant = toUnit(query.map((value, axis) => value + (best[axis] ?? 0)));
  return vectors.map((vector) => Math.max(0, dot(vector, meant)));
}

/**
 * What a latent score is multiplied by, beside scores from 0 to 1.
 * @param queryTerms how many distinct ones
 */
export function latentShare(queryTerms: number, denseWeight: number): number {
  return LATENT.share * (1 - denseWeight) * Math.min(1, LATENT.fewTerms / Math.max(1, queryTerms));
}

function scoreAt(chunks: readonly Rated[], at: number): number {
  return chunks[at]?.score ?? 0;
}

function foldOnce(basis: LatentBasis, terms: Int32Array): Float64Array {
  const known = foldedTexts.get(terms);
  if (known?.basis === basis) return known.vector;
  const vector = fold(basis, terms);
  foldedTexts.set(terms, { basis, vector });
  return vector;
}

function fold(basis: LatentBasis, terms: Int32Array): Float64Array {
  const { ids, weights } = documentWeights(terms);
  return foldIn(basis, ids, weights);
}
