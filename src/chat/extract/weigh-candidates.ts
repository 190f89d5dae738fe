import { type Alternatives, strengthIn } from './match-terms.ts';
import type { AskedTerm } from './read-question.ts';
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
  /** Whether its heading, and its document's title, contain nothing but the question. */
  isHeadingAsked: boolean;
  isTitleAsked: boolean;
  /** Number of units in the passage that contain each term. */
  mentions: readonly number[];
  /** From the unit, its neighbours, its heading and its document: whether it is on topic. */
  about: readonly number[];
  /** From the unit and its heading, for the choice among units. */
  gain: readonly number[];
}

/** Share of a term that occurs next to the unit, not in it. */
const ABOUT = { neighbour: 0.85, heading: 0.95, title: 0.85, passage: 0.45 };
const GAIN = { neighbour: 0.3, heading: 0.8, title: 0.4, passage: 0 };
/** Added when the heading and the title match too. */
const BESIDES = { heading: 0.4, title: 0.3 };
const NOTHING = { heading: 0, title: 0 };

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
  const cache = new Map<ReadonlySet<string>, number[]>();
  const strengths = (stems: ReadonlySet<string>): number[] => {
    const known =
      cache.get(stems) ??
      terms.map((term, index) => strengthIn(stems, term, alternatives[index] ?? new Map()));
    cache.set(stems, known);
    return known;
  };
  const all: Strengths[] = candidates.map(({ unit, terms: own, heading, title }) => ({
    own: isCode(unit) ? strengths(own).map((strength) => strength * CODE_SHARE) : strengths(own),
    heading: strengths(heading),
    title: strengths(title),
  }));
  const passages = bestOfPassages(candidates, all, terms.length);
  const mentions = countMentions(candidates, all, terms.length);
  return candidates.map((candidate, index) => {
    const neighbours = [index - 1, index + 1].flatMap((at) =>
      isBeside(candidate, candidates[at]) ? [all[at]?.own ?? []] : [],
    );
    const { own, heading, title } = all[index] ?? { own: [], heading: [], title: [] };
    const passage = passages.get(candidate.passage) ?? [];
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
            ...neighbours.map((neighbour) => shares.neighbour * (neighbour[term] ?? 0)),
          ),
      );
    return {
      candidate,
      own,
      subject: strengths(candidate.subject),
      heading,
      isHeadingAsked: isAsked(candidate.heading),
      isTitleAsked: isAsked(candidate.documentTitle),
      mentions: mentions.get(candidate.passage) ?? [],
      about: blend(ABOUT, NOTHING),
      gain: blend(GAIN, BESIDES),
    };
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
