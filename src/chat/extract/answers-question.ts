import { holdsAmount } from './asked-value.ts';
import { holdsCount, holdsNumber, holdsValue } from './holds-value.ts';
import { NUMBER } from './number-words.ts';
import type { Candidate } from './read-candidates.ts';
import type { AskedTerm, Question } from './read-question.ts';
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
/** Less must be covered where the kind of value stands that was asked for. */
const VALUE_BONUS = 0.05;
const MIN_NAME_STRENGTH = 0.4;
/** Of what a question that leans on the one before says itself. */
const MIN_OWN_COVERAGE = 0.5;

/** Whether a unit and what is around it say enough of what was asked to be an answer. */
export function answers(
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

/** Whether the count or the amount that was asked for is missing here. */
function lacksValue(question: Question, evidence: Evidence, near: readonly Candidate[]): boolean {
  const { measure, isRequired, counted } = question.value;
  if (counted.size > 0 && !holdsCount(evidence.candidate, counted)) return true;
  if (measure === null || !isRequired) return false;
  if (near.some(({ unit }) => holdsAmount(unit.text, measure))) return false;
  return !holdsValue(question, evidence);
}

/** The share of the weight of some terms that is covered; 1 when they weigh nothing. */
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

/** Whether what is to be explained is only mentioned, once. */
function lacksSubject({ kind, isEnglish }: Question, evidence: Evidence, subject: number): boolean {
  if (kind !== 'definition' || !isEnglish) return false;
  const { own, about, mentions, heading } = evidence;
  const isNamedAround = (heading[subject] ?? 0) > 0 || (about[subject] ?? 0) > (own[subject] ?? 0);
  if (isNamedAround || (mentions[subject] ?? 0) > 1) return false;
  return !definesAsked(evidence);
}
