import { idf } from '#src/documents/bm25.ts';
import type { WordCounts } from '#src/documents/search/read-passages.ts';
import type { Alternatives } from './match-terms.ts';
import { PARAPHRASED_STEMS } from './paraphrased-words.ts';
import type { AskedTerm } from './read-question.ts';

/** The weight of each term of a question, in order. */
export interface TermWeights {
  /** For deciding whether a passage answers. */
  cover: readonly number[];
  /** For choosing among passages that answer. */
  choose: readonly number[];
  /** Sum of `cover`. */
  total: number;
  /** Index of the heaviest term. */
  heaviest: number;
}

/** A frequent word keeps this share of a rare one's weight. */
const LEAST_RARITY = 0.25;
const NAME_WEIGHT = 1.3;
/** Weight of a word that occurs in no form: the documents are not about it. */
const UNKNOWN_WEIGHT = 1.3;
/** People rarely use the manual's verb for an action. */
const VERB_SHARE = 0.7;
/** Nor everyday words for how something is or is done. */
const PARAPHRASED_SHARE = 0.25;
/** A name in this share of the passages names their common topic and distinguishes none of them. */
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
    // How many of only a few passages hold a word says little about it.
    const among = Math.max(passages, MANY_PASSAGES);
    const rarity = idf(holdingOf(term), among) / idf(0, among);
    const weight = LEAST_RARITY + (1 - LEAST_RARITY) * rarity;
    const isUnknown = alternatives[index]?.size === 0;
    const extra = extraWeight(term, holdingOf(term), { passages, isUnknown });
    return term.prior * weight * extra;
  });
  const isOnlyAsking = terms.every(({ isAsking }) => isAsking);
  const cover = choose.map((weight, index) => {
    if (terms[index]?.isAsking === true && !isOnlyAsking) return 0;
    if (terms[index]?.isVerb === true) return weight * VERB_SHARE;
    return isParaphrased(terms[index]) ? weight * PARAPHRASED_SHARE : weight;
  });
  return {
    cover,
    choose,
    total: weightOf(cover, () => 1),
    heaviest: cover.indexOf(Math.max(...cover)),
  };
}

function isParaphrased(term: AskedTerm | undefined): boolean {
  return term !== undefined && !term.isName && PARAPHRASED_STEMS.has(term.stem);
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

/** The sum of the weights, each multiplied by its share. */
export function weightOf(
  weights: readonly number[],
  share: (term: number) => number | undefined,
): number {
  return weights.reduce((sum, weight, term) => sum + weight * (share(term) ?? 0), 0);
}
