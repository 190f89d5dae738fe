import { NUMBER } from './number-words.ts';
import type { Question } from './read-question.ts';
import { definesAsked } from './suit-question.ts';
import type { Evidence } from './weigh-candidates.ts';
import { type TermWeights, weightOf } from './weigh-terms.ts';

/** Share of the weight of what was asked that a passage must cover. */
const MIN_COVERAGE = 0.62;
/** Chance covers few of many terms: each term beyond a few lowers what must be covered. */
const COVERAGE_STEP = 0.03;
const FEW_TERMS = 4;
const LEAST_COVERAGE = 0.45;
/** Where a number was asked for and there is none. */
const MIN_COVERAGE_WITHOUT_NUMBER = 0.85;
const MIN_NAME_STRENGTH = 0.4;

/** Whether a unit and what is around it say enough of what was asked to be an answer. */
export function answers(
  question: Question,
  weights: TermWeights,
  evidence: Evidence,
  beside: readonly (Evidence | undefined)[],
): boolean {
  const { about, candidate } = evidence;
  if (weights.needed.some((term) => (about[term] ?? 0) < MIN_NAME_STRENGTH)) return false;
  if (lacksSubject(question, evidence, weights.heaviest)) return false;
  const around = beside.flatMap((other) =>
    other?.candidate.hit === candidate.hit ? other.candidate : [],
  );
  const isNumberMissing =
    question.kind === 'quantity' &&
    question.isEnglish &&
    ![candidate, ...around].some(({ unit }) => NUMBER.test(unit.text));
  const least = isNumberMissing ? MIN_COVERAGE_WITHOUT_NUMBER : coverageNeeded(question);
  return weightOf(weights.cover, (term) => about[term]) / weights.total >= least;
}

function coverageNeeded({ terms }: Question): number {
  const beyond = Math.max(0, terms.length - FEW_TERMS);
  return Math.max(LEAST_COVERAGE, MIN_COVERAGE - COVERAGE_STEP * beyond);
}

/** Whether what is to be explained is only mentioned, once. */
function lacksSubject({ kind, isEnglish }: Question, evidence: Evidence, subject: number): boolean {
  if (kind !== 'definition' || !isEnglish) return false;
  const { own, about, mentions, heading } = evidence;
  const isNamedAround = (heading[subject] ?? 0) > 0 || (about[subject] ?? 0) > (own[subject] ?? 0);
  if (isNamedAround || (mentions[subject] ?? 0) > 1) return false;
  return !definesAsked(evidence);
}
