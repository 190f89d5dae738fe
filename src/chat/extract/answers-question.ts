import { holdsAmount } from './asked-value.ts';
import { holdsCount, holdsNumber, holdsValue } from './holds-value.ts';
import type { Candidate } from './read-candidates.ts';
import type { AskedTerm, Question } from './read-question.ts';
import { definesAsked, explainsLetters } from './score-form.ts';
import { pairsOf } from './stand-together.ts';
import type { Evidence } from './weigh-candidates.ts';
import { type TermWeights, weightOf } from './weigh-terms.ts';

/** Share of the question's weight that a quote must cover; less when its best quote covers less. */
const MIN_COVERAGE = 0.62;
/** Of many terms, few are covered by chance: each term beyond a few lowers the required share. */
const COVERAGE_STEP = 0.03;
const FEW_TERMS = 4;
const LEAST_COVERAGE = 0.45;
/** For the own words of a question that depends on the one before. */
const MIN_OWN_COVERAGE = 0.5;
/**
 * Whether the documents answer at all: a logistic regression over 480 questions about six sets of documents, divided by
 * the factor of the coverage. Fitted to five sets and judged on the sixth, it refuses 215 of the 240 unanswerable
 * questions and answers 208 of the others from the right document first; a limit of the coverage alone, 216 and 187.
 * That an answer is likelier when the best hit leads the others is query performance prediction (Shtok et al. 2012, ACM
 * TOIS 30:2).
 */
const PER_TERM = 0.092;
const MOST_TERMS = 8;
const PER_LEAD = 0.374;
const MIN_ANSWERABLE = 1.25;
/** A question of few words is answered by what covers nearly all of it, wherever else that is; a keyword or two by a synonym. */
const FULLY_COVERED = 0.97;
const KEYWORDS = 2;
const KEYWORD_COVERED = 0.65;
/** Words that recommend or compare. */
const ADVICE =
  /\b(?:best|better|recommend\w*|prefer\w*|suggest\w*|advis\w*|ideal\w*|good choice|suitable|well suited|favou?rite|popular)\b/i;

/**
 * Whether a unit and its neighbours lack nothing that an answer must have: the full names and numbers of the question, the
 * form that it asks for, and the kind of value.
 */
export function mayAnswer(
  question: Question,
  weights: TermWeights,
  evidence: Evidence,
  beside: readonly (Evidence | undefined)[],
): boolean {
  const { about, candidate } = evidence;
  if (!holdsFullNames(question, evidence)) return false;
  const isFollowUp = question.terms.some(({ isInherited }) => isInherited);
  if (isFollowUp && coverageOf(question, weights, about, isOwn) < MIN_OWN_COVERAGE) return false;
  const near = beside.flatMap((other) =>
    other?.candidate.passage === candidate.passage &&
    other.candidate.unit.section === candidate.unit.section
      ? other.candidate
      : [],
  );
  if (!question.numbers.every((number) => holdsNumber([candidate, ...near], number))) return false;
  if (lacksValue(question, evidence, near)) return false;
  if (lacksForm(question, [candidate, ...near])) return false;
  return !lacksSubject(question, evidence, weights.heaviest);
}

/** The share of the question that a unit and its context cover. */
export function coverage(question: Question, weights: TermWeights, { about }: Evidence): number {
  return coverageOf(question, weights, about, () => true);
}

/** The share of a question that each quote must cover, when the best one covers `best`. */
export function coverageNeeded({ terms }: Question, best: number): number {
  const beyond = Math.max(0, terms.length - FEW_TERMS);
  return Math.min(best, Math.max(LEAST_COVERAGE, MIN_COVERAGE - COVERAGE_STEP * beyond));
}

/**
 * Whether the documents answer a question of which the best unit covers `best`.
 * @param lead by what share of its score the best hit leads the tenth
 */
export function isAnswerable({ terms }: Question, best: number, lead: number): boolean {
  if (best < LEAST_COVERAGE) return false;
  if (best >= (terms.length <= KEYWORDS ? KEYWORD_COVERED : FULLY_COVERED)) return true;
  const evidence = best + PER_TERM * Math.min(terms.length, MOST_TERMS) + PER_LEAD * lead;
  return evidence >= MIN_ANSWERABLE;
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
