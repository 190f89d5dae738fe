import { idf } from '#src/documents/bm25.ts';
import type { WordCounts } from '#src/documents/read-passages.ts';
import type { AskedTerm } from './read-question.ts';

/** What each term of a question weighs, in their order. */
export interface TermWeights {
  /** For the decision whether a passage answers. */
  cover: readonly number[];
  /** For the choice among what answers. */
  choose: readonly number[];
  /** Sum of `cover`. */
  total: number;
  /** Indexes of names that an answer cannot do without. */
  needed: readonly number[];
  /** Index of the heaviest term. */
  heaviest: number;
}

/** A frequent word keeps this share of a rare one's weight. */
const LEAST_RARITY = 0.25;
const NAME_WEIGHT = 1.3;
/** People seldom do a thing by the verb that the manual has for it. */
const VERB_SHARE = 0.7;
/** A name that more of the passages hold than this is what they are all about. */
const COMMON_NAME_SHARE = 0.1;
const FEW_PASSAGES = 2;

/** Rare words weigh most, by the idf of BM25. */
export function weighTerms(
  terms: readonly AskedTerm[],
  { passages, holding }: WordCounts,
): TermWeights {
  const holdingOf = ({ stem }: AskedTerm): number => holding.get(stem) ?? 0;
  const choose = terms.map((term) => {
    const rarity = idf(holdingOf(term), passages) / idf(0, passages);
    const weight = LEAST_RARITY + (1 - LEAST_RARITY) * rarity;
    return term.prior * weight * (term.isName ? NAME_WEIGHT : 1);
  });
  const isOnlyAsking = terms.every(({ isAsking }) => isAsking);
  const cover = choose.map((weight, index) => {
    if (terms[index]?.isAsking === true && !isOnlyAsking) return 0;
    return terms[index]?.isVerb === true ? weight * VERB_SHARE : weight;
  });
  const most = Math.max(FEW_PASSAGES, passages * COMMON_NAME_SHARE);
  return {
    cover,
    choose,
    total: weightOf(cover, () => 1),
    needed: terms.flatMap((term, index) => (term.isName && holdingOf(term) <= most ? [index] : [])),
    heaviest: cover.indexOf(Math.max(...cover)),
  };
}

/** The sum of weights, each by its share. */
export function weightOf(
  weights: readonly number[],
  share: (term: number) => number | undefined,
): number {
  return weights.reduce((sum, weight, term) => sum + weight * (share(term) ?? 0), 0);
}
