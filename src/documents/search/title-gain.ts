import { termWeight } from '#src/documents/bm25.ts';
import type { Evidence } from './known-text.ts';
import { TEXT_WEIGHTS } from './weights.ts';

/**
 * How much more BM25 would give if each word of the title counted two more. In the unit of BM25 scores.
 * @param queryTerms their ids, with repetitions
 * @param weights id of a term → idf
 */
export function titleGain(
  queryTerms: readonly number[],
  weights: ReadonlyMap<number, number>,
  { title, terms }: Evidence,
): number {
  const inTitle = countTerms(title, weights);
  if (inTitle.size === 0) return 0;
  const inAll = countTerms(terms, weights);
  const length = terms.length + TEXT_WEIGHTS.titleCount * title.length;
  let gain = 0;
  for (const term of queryTerms) {
    const more = TEXT_WEIGHTS.titleCount * (inTitle.get(term) ?? 0);
    if (more === 0) continue;
    const tf = inAll.get(term) ?? 0;
    const added = termWeight(tf + more, length) - termWeight(tf, terms.length);
    gain += (weights.get(term) ?? 0) * added;
  }
  return gain;
}

function countTerms(terms: Int32Array, wanted: ReadonlyMap<number, number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const term of terms) if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
