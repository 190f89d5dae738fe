import type { WordCounts } from '#src/documents/search/read-passages.ts';
import { coverage, coverageNeeded, isAnswerable, mayAnswer } from './answers-question.ts';
import { type Alternatives, matchTerms } from './match-terms.ts';
import { type Candidate, readCandidates, type Source } from './read-candidates.ts';
import { type AskedTerm, type Question, readQuestion } from './read-question.ts';
import { bestOf, selectQuotes } from './select-quotes.ts';
import type { Unit } from './split-units.ts';
import { weighCandidates } from './weigh-candidates.ts';
import { weighTerms } from './weigh-terms.ts';
import { unitFactor } from './weigh-unit.ts';

/** A sentence, list item, code block or table quoted from one document. */
export interface Quote {
  kind: Unit['kind'];
  text: string;
  /** What it is about, where it does not say so itself: an option, a command. */
  name: string | null;
  /** Index of the source that it comes from. */
  hit: number;
  /** Whether it continues the previous quote, in the same section. */
  continues: boolean;
}

export interface Asked {
  question: string;
  /** The question that this one depends on; null when it is self-contained. */
  before: string | null;
  /** How frequent its words are; null to count them in the sources. */
  counts: WordCounts | null;
}

/** Total weight of all terms below which the question is considered empty. */
const MIN_ASKED = 0.15;
/** Index of the source that the best one is compared with. */
const LEAD_OVER = 9;
/** Where there are fewer: of little text, few words are covered by chance. */
const LEAD_OF_FEW = 0.65;

/**
 * Quotes from `sources` (best first) that together best answer a question, each with its continuation: the best
 * document's quotes come first, and quotes of one document keep their order. Empty when no passage covers the question:
 * rare words weigh most, and names must occur.
 */
export function extractAnswer(asked: Asked, sources: readonly Source[]): Quote[] {
  const read = readQuestion(asked.question, asked.before);
  const { candidates, vocabulary } = readCandidates(asked.question, read.value.measure, sources);
  const counts = asked.counts ?? countWords(candidates);
  const isKnown = ({ counted }: AskedTerm): boolean => (counts.holding.get(counted) ?? 0) > 0;
  const alternatives = matchTerms(read, vocabulary, isKnown);
  const question = withCounted(read, alternatives);
  const weights = weighTerms(question.terms, counts, alternatives);
  if (weights.total < MIN_ASKED) return [];
  const evidence = weighCandidates(candidates, question.terms, alternatives);
  const possible = evidence.filter((item, index) =>
    mayAnswer(question, weights, item, [evidence[index - 1], evidence[index + 1]]),
  );
  const choice = { weights: weights.choose, all: candidates };
  const factor = unitFactor(question, weights, sources);
  const best = bestOf(possible, { ...choice, factor });
  if (best === null) return [];
  const covered = coverage(question, weights, best);
  if (!isAnswerable(question, covered, leadOf(sources))) return [];
  const least = coverageNeeded(question, covered);
  const answering = possible.filter((item) => coverage(question, weights, item) >= least);
  return selectQuotes(answering, { ...choice, factor });
}

/** By what share of its score the best source leads the tenth. */
function leadOf(sources: readonly Source[]): number {
  const best = sources[0]?.score ?? 0;
  const tenth = sources[LEAD_OVER];
  return best > 0 && tenth !== undefined ? 1 - tenth.score / best : LEAD_OF_FEW;
}

/** What is counted may be misspelled, or occur in another form. */
function withCounted(question: Question, alternatives: readonly Alternatives[]): Question {
  const { counted } = question.value;
  const stems = question.terms.flatMap(({ stem }, term) =>
    counted.has(stem) ? [...(alternatives[term]?.keys() ?? [])] : [],
  );
  return { ...question, value: { ...question.value, counted: counted.union(new Set(stems)) } };
}

function countWords(candidates: readonly Candidate[]): WordCounts {
  const holding = new Map<string, number>();
  for (const { terms } of candidates) {
    for (const stem of terms) holding.set(stem, (holding.get(stem) ?? 0) + 1);
  }
  return { passages: candidates.length, holding };
}
