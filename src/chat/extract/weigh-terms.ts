import { idf } from '#src/documents/bm25.ts';
import type { WordCounts } from '#src/documents/read-passages.ts';
import type { Alternatives } from './match-terms.ts';
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
/** Of a word that nothing found holds in any form: what it says, the documents do not speak of. */
const UNKNOWN_WEIGHT = 1.3;
/** People seldom do a thing by the verb that the manual has for it. */
const VERB_SHARE = 0.7;
/** A name that more of the passages hold than this is what they are all about. */
const COMMON_NAME_SHARE = 0.1;
const FEW_PASSAGES = 2;
/** A name that so many hold is that of the whole: it tells nothing. */
const EVERYWHERE_SHARE = 0.25;
const MANY_PASSAGES = 20;
const EVERYWHERE_WEIGHT = 0.6;

/** Rare words weigh most, by the idf of BM25. */
export function weighTerms(
  terms: readonly AskedTerm[],
  { passages, holding }: WordCounts,
  alternatives: readonly Alternatives[],
): TermWeights {
  const holdingOf = ({ counted }: AskedTerm): number => holding.get(counted) ?? 0;
  const choose = terms.map((term, index) => {
    const rarity = idf(holdingOf(term), passages) / idf(0, passages);
    const weight = LEAST_RARITY + (1 - LEAST_RARITY) * rarity;
    const isUnknown = alternatives[index]?.size === 0;
    const extra = extraWeight(term, holdingOf(term), { passages, isUnknown });
    return term.prior * weight * extra;
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

function extraWeight(
  { isName }: AskedTerm,
  holding: number,
  { passages, isUnknown }: { passages: number; isUnknown: boolean },
): number {
  if (!isName) return holding === 0 && isUnknown ? UNKNOWN_WEIGHT : 1;
  return holding > Math.max(MANY_PASSAGES, passages * EVERYWHERE_SHARE)
    ? EVERYWHERE_WEIGHT
    : NAME_WEIGHT;
}

/** The sum of weights, each by its share. */
export function weightOf(
  weights: readonly number[],
  share: (term: number) => number | undefined,
): number {
  return weights.reduce((sum, weight, term) => sum + weight * (share(term) ?? 0), 0);
}
