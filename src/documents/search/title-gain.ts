import { termWeight } from '#src/documents/bm25.ts';
import type { Evidence } from './read-evidence.ts';
import { TEXT_WEIGHTS } from './weights.ts';

/**
 * How much more BM25 would give if each word of the title counted two more. In the unit of BM25 scores.
 * @param queryTerms with repetitions
 * @param weights term → idf
 */
export function titleGain(
  queryTerms: readonly string[],
  weights: ReadonlyMap<string, number>,
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

function countTerms(
  terms: readonly string[],
  wanted: ReadonlyMap<string, number>,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
