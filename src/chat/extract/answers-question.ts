import { holdsAmount } from './asked-value.ts';
import { holdsCount, holdsNumber, holdsValue } from './holds-value.ts';
import { NUMBER } from './number-words.ts';
import type { Candidate } from './read-candidates.ts';
import type { AskedTerm, Question } from './read-question.ts';
import { definesAsked } from './score-form.ts';
import type { Evidence } from './weigh-candidates.ts';
import { type TermWeights, weightOf } from './weigh-terms.ts';

/** Share of the question's weight that a passage must cover. */
const MIN_COVERAGE = 0.62;
/** Of many terms, few are covered by chance: each term beyond a few lowers the required share. */
const COVERAGE_STEP = 0.03;
const FEW_TERMS = 4;
const LEAST_COVERAGE = 0.45;
/** When a number was asked for and there is none. */
const MIN_COVERAGE_WITHOUT_NUMBER = 0.85;
/** Less coverage is required when the requested kind of value occurs. */
const VALUE_BONUS = 0.05;
const MIN_NAME_STRENGTH = 0.4;
/** For the own words of a question that depends on the one before. */
const MIN_OWN_COVERAGE = 0.5;

/** Whether a unit and its context cover enough of the question to be an answer. */
export function answersQuestion(
  question: Question,
  weights: TermWeights,
  evidence: Evidence,
  beside: readonly (Evidence | undefined)[],
): boolean {
  const { about, candidate } = evidence;
  if (weights.needed.some((term) => (about[term] ?? 0) < MIN_NAME_STRENGTH)) return false;
  if (coverageOf(question, weights, about, isOwn) < MIN_OWN_COVERAGE) return false;
  const around = beside.flatMap((other) =>
    other?.candidate.hit === candidate.hit ? other.candidate : [],
  );
  const near = around.filter(
    ({ passage, unit }) => passage === candidate.passage && unit.section === candidate.unit.section,
  );
  if (!question.numbers.every((number) => holdsNumber([candidate, ...near], number))) return false;
  if (lacksValue(question, evidence, near)) return false;
  if (lacksSubject(question, evidence, weights.heaviest)) return false;
  const isNumberMissing =
    question.kind === 'quantity' &&
    question.isEnglish &&
    ![candidate, ...around].some(({ unit }) => NUMBER.test(unit.text));
  const least = isNumberMissing
    ? MIN_COVERAGE_WITHOUT_NUMBER
    : coverageNeeded(question) - (holdsAskedValue(question, evidence) ? VALUE_BONUS : 0);
  return coverageOf(question, weights, about, () => true) >= least;
}

function holdsAskedValue(question: Question, evidence: Evidence): boolean {
  const { counted, isRequired } = question.value;
  if (counted.size > 0) return holdsCount(evidence.candidate, counted);
  return isRequired && holdsValue(question, evidence);
}

/** Whether the requested count or amount is missing here. */
function lacksValue(question: Question, evidence: Evidence, near: readonly Candidate[]): boolean {
  const { measure, isRequired, counted } = question.value;
  if (counted.size > 0 && !holdsCount(evidence.candidate, counted)) return true;
  if (measure === null || !isRequired) return false;
  if (near.some(({ unit }) => holdsAmount(unit.text, measure))) return false;
  return !holdsValue(question, evidence);
}

/** The covered share of the weight of some terms; 1 when they have no weight. */
function coverageOf(
  { terms }: Question,
  { cover }: TermWeights,
  about: Evidence['about'],
  isCounted: (term: AskedTerm) => boolean,
): number {
  const chosen = cover.map((weight, index) => {
    const term = terms[index];
    return term !== undefined && isCounted(term) ? weight : 0;
  });
  const total = weightOf(chosen, () => 1);
  return total === 0 ? 1 : weightOf(chosen, (term) => about[term]) / total;
}

const isOwn = ({ isInherited }: AskedTerm): boolean => !isInherited;

function coverageNeeded({ terms }: Question): number {
  const beyond = Math.max(0, terms.length - FEW_TERMS);
  return Math.max(LEAST_COVERAGE, MIN_COVERAGE - COVERAGE_STEP * beyond);
}

/** Whether what is to be explained is only mentioned once. */
function lacksSubject(question: Question, evidence: Evidence, subject: number): boolean {
  if (question.kind !== 'definition' || !question.isEnglish) return false;
  const { own, about, mentions, heading } = evidence;
  const isNamedAround = (heading[subject] ?? 0) > 0 || (about[subject] ?? 0) > (own[subject] ?? 0);
  if (isNamedAround || (mentions[subject] ?? 0) > 1) return false;
  return !definesAsked(question, evidence);
}
