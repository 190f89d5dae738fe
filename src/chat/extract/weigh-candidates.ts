import { type Alternatives, strengthIn } from './match-terms.ts';
import type { AskedTerm } from './read-question.ts';
import { pairsOf, standTogether } from './stand-together.ts';
import { type Candidate, isCode, type Passage } from './read-candidates.ts';

/** How strongly a candidate and its context match each asked term, 0 to 1. */
export interface Evidence {
  candidate: Candidate;
  /** From the unit itself. */
  own: readonly number[];
  /** From the subject that it explains. */
  subject: readonly number[];
  /** From its heading. */
  heading: readonly number[];
  /** From its document's title. */
  documentTitle: readonly number[];
  /** From what its document says it is about: its title and its beginning. */
  topic: readonly number[];
  /** Whether its heading, and its document's title, contain nothing but the question. */
  isHeadingAsked: boolean;
  isTitleAsked: boolean;
  /** Number of units in the passage that contain each term. */
  mentions: readonly number[];
  /** How well the words of each pair of the question stand together in the unit, its heading or a neighbour, 0 to 1. */
  together: readonly number[];
  /** From the unit, its neighbours, its heading and its document: whether it is on topic. */
  about: readonly number[];
  /** From the unit and its heading, for the choice among units. */
  gain: readonly number[];
}

/** Share of a term that occurs next to the unit, not in it. */
const ABOUT = {
  neighbour: 0.85,
  heading: 0.95,
  title: 0.85,
  passage: 0.45,
  topic: 0.3,
  document: 0.2,
};
const GAIN = { neighbour: 0.3, heading: 0.8, title: 0.4, passage: 0, topic: 0, document: 0 };
/** Added when the heading and the title match too. */
const BESIDES = { heading: 0.4, title: 0.3 };
const NOTHING = { heading: 0, title: 0 };
/** Of a pair of words that stand together next to the unit. */
const TOGETHER_BESIDE = 0.7;

/** Words in code are parts of addresses, variables and examples rather than its topic. */
const CODE_SHARE = 0.7;

interface Strengths {
  own: number[];
  heading: number[];
  title: number[];
}

/** The evidence of each candidate, in order. */
export function weighCandidates(
  candidates: readonly Candidate[],
  terms: readonly AskedTerm[],
  alternatives: readonly Alternatives[],
): Evidence[] {
  const asked = new Set(alternatives.flatMap((stems) => [...stems.keys()]));
  const isAsked = (stems: ReadonlySet<string>): boolean =>
    stems.size > 0 && stems.isSubsetOf(asked);
  const strengths = strengthReader(terms, alternatives);
  const all: Strengths[] = candidates.map(({ unit, terms: own, heading, title }) => ({
    own: isCode(unit) ? strengths(own).map((strength) => strength * CODE_SHARE) : strengths(own),
    heading: strengths(heading),
    title: strengths(title),
  }));
  const together = togetherIn(candidates, terms, alternatives);
  const passages = bestOfPassages(candidates, all, terms.length);
  const documents = bestOfDocuments(candidates, all, terms.length);
  const mentions = countMentions(candidates, all, terms.length);
  return candidates.map((candidate, index) => {
    const beside = [index - 1, index + 1].filter((at) => isBeside(candidate, candidates[at]));
    const neighbours = beside.map((at) => all[at]?.own ?? []);
    const { own, heading, title } = all[index] ?? { own: [], heading: [], title: [] };
    const passage = passages.get(candidate.passage) ?? [];
    const { topic, document } = documents.get(candidate.hit) ?? { topic: [], document: [] };
    const blend = (shares: typeof ABOUT, besides: typeof NOTHING): number[] =>
      own.map(
        (strength, term) =>
          besides.heading * (heading[term] ?? 0) +
          besides.title * (title[term] ?? 0) +
          Math.max(
            strength,
            shares.heading * (heading[term] ?? 0),
            shares.title * (title[term] ?? 0),
            shares.passage * (passage[term] ?? 0),
            shares.topic * (topic[term] ?? 0),
            shares.document * (document[term] ?? 0),
            ...neighbours.map((neighbour) => shares.neighbour * (neighbour[term] ?? 0)),
          ),
      );
    return {
      candidate,
      own,
      subject: strengths(candidate.subject),
      heading,
      documentTitle: strengths(candidate.documentTitle),
      topic,
      isHeadingAsked: isAsked(candidate.label),
      isTitleAsked: isAsked(candidate.documentTitle),
      together: together(index, beside),
      mentions: mentions.get(candidate.passage) ?? [],
      about: blend(ABOUT, NOTHING),
      gain: blend(GAIN, BESIDES),
    };
  });
}

/** How strongly a set of stems matches each term; sets that many units share are compared once. */
function strengthReader(
  terms: readonly AskedTerm[],
  alternatives: readonly Alternatives[],
): (stems: ReadonlySet<string>) => number[] {
  const cache = new Map<ReadonlySet<string>, number[]>();
  return (stems) => {
    const known =
      cache.get(stems) ??
      terms.map((term, index) => strengthIn(stems, term, alternatives[index] ?? new Map()));
    cache.set(stems, known);
    return known;
  };
}

/** How well the pairs of a question stand together in a unit and those beside it. */
function togetherIn(
  candidates: readonly Candidate[],
  terms: readonly AskedTerm[],
  alternatives: readonly Alternatives[],
): (index: number, beside: readonly number[]) => number[] {
  const pairs = pairsOf(terms);
  const all = candidates.map((candidate) =>
    pairs.map((pair) => standTogether(candidate, pair, alternatives)),
  );
  return (index, beside) =>
    pairs.map((_, pair) => {
      if (all[index]?.[pair] === true) return 1;
      return beside.some((at) => all[at]?.[pair] === true) ? TOGETHER_BESIDE : 0;
    });
}

function isBeside(one: Candidate, other: Candidate | undefined): boolean {
  return other?.passage === one.passage && other.unit.section === one.unit.section;
}

function bestOfPassages(
  candidates: readonly Candidate[],
  all: readonly Strengths[],
  terms: number,
): Map<Passage, number[]> {
  const best = new Map<Passage, number[]>();
  for (const [index, { passage }] of candidates.entries()) {
    const ofPassage = best.get(passage) ?? Array.from({ length: terms }, () => 0);
    best.set(passage, ofPassage);
    for (const [term, strength] of (all[index]?.own ?? []).entries()) {
      ofPassage[term] = Math.max(ofPassage[term] ?? 0, strength);
    }
  }
  return best;
}

/** What a document has of each term: anywhere, and where it says what it is about. */
interface DocumentStrengths {
  document: number[];
  topic: number[];
}

/** By the index of the document among the sources. */
function bestOfDocuments(
  candidates: readonly Candidate[],
  all: readonly Strengths[],
  terms: number,
): Map<number, DocumentStrengths> {
  const none = (): number[] => Array.from({ length: terms }, () => 0);
  const best = new Map<number, DocumentStrengths>();
  for (const [index, { hit, isOpening }] of candidates.entries()) {
    const ofDocument = best.get(hit) ?? { topic: none(), document: none() };
    best.set(hit, ofDocument);
    const { own, heading, title } = all[index] ?? { own: [], heading: [], title: [] };
    for (const [term, strength] of own.entries()) {
      const said = Math.max(strength, heading[term] ?? 0, title[term] ?? 0);
      ofDocument.document[term] = Math.max(ofDocument.document[term] ?? 0, said);
      if (isOpening) ofDocument.topic[term] = Math.max(ofDocument.topic[term] ?? 0, said);
    }
  }
  return best;
}

function countMentions(
  candidates: readonly Candidate[],
  all: readonly Strengths[],
  terms: number,
): Map<Passage, number[]> {
  const counts = new Map<Passage, number[]>();
  for (const [index, { passage }] of candidates.entries()) {
    const ofPassage = counts.get(passage) ?? Array.from({ length: terms }, () => 0);
    counts.set(passage, ofPassage);
    for (const [term, strength] of (all[index]?.own ?? []).entries()) {
      if (strength > 0) ofPassage[term] = (ofPassage[term] ?? 0) + 1;
    }
  }
  return counts;
}
