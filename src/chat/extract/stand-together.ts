import type { Alternatives } from './match-terms.ts';
import type { Candidate } from './read-candidates.ts';
import type { AskedTerm } from './read-question.ts';

/** Two terms that follow each other in a question, such as "web page": indexes of both. */
export type Pair = readonly [first: number, second: number];

/** Apart by so many content words at most, in either order: "page of the web". */
const SPAN = 2;

/** The pairs of neighbouring words that a question is about. */
export function pairsOf(terms: readonly AskedTerm[]): Pair[] {
  return terms.flatMap((term, index): Pair[] => {
    const next = terms[index + 1];
    const isPair = term.isBesideNext && !term.isAsking && next?.isAsking === false;
    return isPair ? [[index, index + 1]] : [];
  });
}

/** Whether both terms of a pair are near each other in a unit or its heading. */
export function standTogether(
  { words }: Pick<Candidate, 'words'>,
  [first, second]: Pair,
  alternatives: readonly Alternatives[],
): boolean {
  const isOther = (word: string): boolean => alternatives[second]?.has(word) === true;
  return words.some((word, at) => {
    if (alternatives[first]?.has(word) !== true) return false;
    // Written as one: "fast-forward" for "fast forward".
    if (isOther(word)) return true;
    const before = words.slice(Math.max(0, at - SPAN), at);
    return [...before, ...words.slice(at + 1, at + 1 + SPAN)].some(isOther);
  });
}
