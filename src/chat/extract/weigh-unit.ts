import type { Source } from './read-candidates.ts';
import type { Question } from './read-question.ts';
import { definesAsked, formFactor } from './score-form.ts';
import type { Evidence } from './weigh-candidates.ts';
import { type TermWeights, weightOf } from './weigh-terms.ts';

/** How much the context of a quote being on topic counts in the choice of quotes. */
const FOCUS = 1.5;
/** How much it counts that the unit alone covers the question. */
const DIRECT = 0.5;
/** A source without any score counts as this share of the best one. */
const LEAST_SCORE = 0.2;
const RANK_PENALTY = 0.06;
/** For a document whose title says all that is asked; for one whose beginning says it, this share. */
const TITLE_GAIN = 1.2;
const TOPIC_SHARE = 0.5;
/** For what a document begins with. */
const OPENING = 1.5;

/** The factor of a unit's gain: its form, its context, its document and the rank of that in the search. */
export function unitFactor(
  question: Question,
  weights: TermWeights,
  sources: readonly Source[],
): (item: Evidence) => number {
  const bestScore = Math.max(Number.MIN_VALUE, ...sources.map(({ score }) => score));
  const asked = weightOf(weights.choose, () => 1);
  return (item) => {
    const { hit, isOpening } = item.candidate;
    const focus = weightOf(weights.cover, (term) => item.about[term]) / weights.total;
    const said = weightOf(weights.cover, (term) => item.own[term]) / weights.total;
    const direct = 1 - DIRECT + DIRECT * said;
    const saidFirst = (term: number): number =>
      Math.max(item.documentTitle[term] ?? 0, TOPIC_SHARE * (item.topic[term] ?? 0));
    const named = weightOf(weights.choose, saidFirst) / asked;
    const about = (1 + TITLE_GAIN * named) * (isOpening ? OPENING : 1);
    const score = (sources[hit]?.score ?? 0) / bestScore;
    // The best hit mentions a word often; what defines it may be in any document.
    const defines = question.kind === 'definition' && definesAsked(question, item);
    const penalty = defines ? 0 : RANK_PENALTY * hit;
    const rank = (LEAST_SCORE + (1 - LEAST_SCORE) * score) / (1 + penalty);
    return formFactor(question, item, weights.choose) * about * focus ** FOCUS * direct * rank;
  };
}
