import { holdsAmount } from './asked-value.ts';
import { holdsCount, holdsNumber, holdsValue } from './holds-value.ts';
import { NUMBER } from './number-words.ts';
import type { Candidate } from './read-candidates.ts';
import type { AskedTerm, Question } from './read-question.ts';
import { definesAsked, explainsLetters } from './score-form.ts';
import { pairsOf } from './stand-together.ts';
import type { Evidence } from './weigh-candidates.ts';
import { type TermWeights, weightOf } from './weigh-terms.ts';

/** Share of the question's weight that a passage must cover. */
const MIN_COVERAGE = 0.62;
/** Of many terms, few are covered by chance: each term beyond a few lowers the required share. */
const COVERAGE_STEP = 0.03;
const FEW_TERMS = 4;
const LEAST_COVERAGE = 0.45;
/** Less coverage is required when the requested kind of value occurs. */
const VALUE_BONUS = 0.05;
/** When a number was asked for and there is none. */
const MIN_COVERAGE_WITHOUT_NUMBER = 0.85;
const MIN_NAME_STRENGTH = 0.4;
/** For the own words of a question that depends on the one before. */
const MIN_OWN_COVERAGE = 0.5;
/** One passage at least must cover so much more. */
const WELL_COVERED = 0.04;
/**
 * Added to it when a question asks how to do something, or whether, and that is nowhere near: pages about discs do not say how to
 * rip one. People have many words for an action, so that nearly all of the rest is still enough.
 */
const WITHOUT_ACTION = 0.2;
/** Words that recommend or compare. */
const ADVICE =
  /\b(?:best|better|recommend\w*|prefer\w*|suggest\w*|advis\w*|ideal\w*|good choice|suitable|well suited|favou?rite|popular)\b/i;

/**
 * Whether a unit and its context cover enough of the question to be an answer, and lack nothing that an answer must have:
 * the names and numbers of the question, and the kind of value that it asks for.
 */
export function answersQuestion(
  question: Question,
  weights: TermWeights,
  evidence: Evidence,
  beside: readonly (Evidence | undefined)[],
): boolean {
  const { about, candidate } = evidence;
  if (weights.needed.some((term) => (about[term] ?? 0) < MIN_NAME_STRENGTH)) return false;
  if (!holdsFullNames(question, evidence)) return false;
  if (coverageOf(question, weights, about, isOwn) < MIN_OWN_COVERAGE) return false;
  const around = beside.flatMap((other) =>
    other?.candidate.hit === candidate.hit ? other.candidate : [],
  );
  const near = around.filter(
    ({ passage, unit }) => passage === candidate.passage && unit.section === candidate.unit.section,
  );
  if (!question.numbers.every((number) => holdsNumber([candidate, ...near], number))) return false;
  if (lacksValue(question, evidence, near)) return false;
  if (lacksForm(question, [candidate, ...near])) return false;
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

/**
 * Whether a unit and its context cover so much of the question that it is surely about it. One such unit must be among
 * those that answer; the others add to it.
 */
export function coversQuestion(
  question: Question,
  weights: TermWeights,
  { about }: Evidence,
): boolean {
  const more = WELL_COVERED + WITHOUT_ACTION * (1 - actionStrength(question, about));
  const covered = coverageOf(question, weights, about, () => true);
  return covered >= Math.min(1, coverageNeeded(question) + more);
}

/** Of the requested action, by its best verb; 1 when there is none. "Which X does Y [allow]?" requests no action. */
function actionStrength({ kind, terms }: Question, about: Evidence['about']): number {
  const strengths = terms.flatMap(({ isVerb }, term) => {
    const isAction = isVerb && (kind === 'instruction' || term < terms.length - 1);
    return isAction ? (about[term] ?? 0) : [];
  });
  return strengths.length === 0 ? 1 : Math.max(...strengths);
}

function coverageNeeded({ terms }: Question): number {
  const beyond = Math.max(0, terms.length - FEW_TERMS);
  return Math.max(LEAST_COVERAGE, MIN_COVERAGE - COVERAGE_STEP * beyond);
}

function holdsAskedValue(question: Question, evidence: Evidence): boolean {
  const { counted, isRequired } = question.value;
  if (counted.size > 0) return holdsCount(evidence.candidate, counted);
  return isRequired && holdsValue(question, evidence);
}

/**
 * Whether the parts of each name stand together: "Windows clients of Microsoft" have no "Microsoft Windows", and "PNG in
 * 3 sizes" no "PNG 3"; so do all words of what is to be explained.
 */
function holdsFullNames({ kind, terms, isEnglish }: Question, evidence: Evidence): boolean {
  const { together, candidate } = evidence;
  const isDefinition = kind === 'definition' && isEnglish;
  return pairsOf(terms).every((pair, index) => {
    const parts = pair.flatMap((term) => terms[term] ?? []);
    if (!isDefinition && !isFullName(parts)) return true;
    const isTitle = parts.every(({ stem }) => candidate.documentTitle.has(stem));
    return isTitle || (together[index] ?? 0) > 0;
  });
}

/** `Microsoft Windows`, `HTTP/3`. */
function isFullName(parts: readonly AskedTerm[]): boolean {
  if (parts.every(({ isCapitalized }) => isCapitalized)) return true;
  const [first, second] = parts;
  return first?.isName === true && !/^\d/.test(first.word) && /^\d+$/.test(second?.word ?? '');
}

/** Whether the kind of sentence that was asked for is missing here. */
function lacksForm(question: Question, here: readonly Candidate[]): boolean {
  if (question.kind === 'abbreviation') {
    return !here.some((candidate) => explainsLetters(question, candidate));
  }
  return (
    question.asksAdvice && !here.some(({ unit }) => ADVICE.test(`${unit.heading}\n${unit.text}`))
  );
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

/** Whether what is to be explained is only mentioned once. */
function lacksSubject(question: Question, evidence: Evidence, subject: number): boolean {
  if (question.kind !== 'definition' || !question.isEnglish) return false;
  const { own, about, mentions, heading, candidate } = evidence;
  const isNamedAround = (heading[subject] ?? 0) > 0 || (about[subject] ?? 0) > (own[subject] ?? 0);
  if (isNamedAround || (mentions[subject] ?? 0) > 1) return false;
  return !definesAsked(question, evidence) && !isGlossed(question.terms[subject], candidate);
}

/** `plain text (h2c)`, `h2c (plain text)`. */
function isGlossed(term: AskedTerm | undefined, { unit }: Candidate): boolean {
  const text = unit.text.toLowerCase();
  return (
    term !== undefined && [`(${term.word})`, `${term.word} (`].some((gloss) => text.includes(gloss))
  );
}
