import type { WordCounts } from '#src/documents/search/read-passages.ts';
import { answersQuestion, coversQuestion } from './answers-question.ts';
import { type Alternatives, matchTerms } from './match-terms.ts';
import { type Candidate, readCandidates, type Source } from './read-candidates.ts';
import { type AskedTerm, type Question, readQuestion } from './read-question.ts';
import { selectQuotes } from './select-quotes.ts';
import type { Unit } from './split-units.ts';
import { type Evidence, weighCandidates } from './weigh-candidates.ts';
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
/** How strongly an answering passage must hold the heaviest word: at least elsewhere in the passage. */
const MIN_TOPIC_STRENGTH = 0.4;

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
  const answering = evidence.filter((item, index) =>
    answersQuestion(question, weights, item, [evidence[index - 1], evidence[index + 1]]),
  );
  const { topic } = weights;
  const isOnTopic = ({ about }: Evidence): boolean =>
    topic === null || (about[topic] ?? 0) >= MIN_TOPIC_STRENGTH;
  if (!answering.some(isOnTopic)) return [];
  if (!answering.some((item) => coversQuestion(question, weights, item))) return [];
  return selectQuotes(answering, {
    weights: weights.choose,
    all: candidates,
    factor: unitFactor(question, weights, sources),
  });
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
