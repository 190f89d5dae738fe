import type { SearchHit } from '#src/documents/search-hit.ts';
import { FUNCTION_WORDS } from '#src/documents/stop-words.ts';
import { stemWord, tokenizeWords } from '#src/documents/tokenize.ts';
import { splitUnits, type Unit } from './split-units.ts';

const MAX_QUOTES = 5;
const MAX_ANSWER_LENGTH = 1_800;
/** A quote must bring this share of what the best one brings. */
const MIN_SHARE_OF_BEST = 0.35;
/** A term that an earlier quote holds counts this much of its weight: the next quote should say something new. */
const REPEATED_TERM_SHARE = 0.6;
/** A term that stands only in the heading or the title of a unit counts this much. */
const CONTEXT_SHARE = 0.5;
/** A unit that shares no word with the question needs this share of its terms in heading and title. */
const MIN_CONTEXT_COVERAGE = 0.5;
/** Fewer are keywords, and code that holds them may be what is looked for. */
const MIN_WORDS_OF_QUESTION = 4;
const RANK_PENALTY = 0.1;
const DUPLICATE_SIMILARITY = 0.7;

/** A sentence, list item, code block or table quoted from one hit. */
export interface Quote {
  kind: Unit['kind'];
  text: string;
  /** Index of the hit that it comes from. */
  hit: number;
}

interface Candidate extends Quote {
  /** Place among all units, so that quotes of one document keep its order. */
  position: number;
  terms: ReadonlySet<string>;
  context: ReadonlySet<string>;
  weight: number;
}

type ExtractableHit = Pick<SearchHit, 'text' | 'headings' | 'semantic_identifier'>;

/**
 * Up to five quotes from `hits` (best first) that together answer the question best, in the order of hits and
 * documents; none when nothing fits: no sentence shares content words with the question, itself or by heading and title.
 */
export function extractAnswer(question: string, hits: readonly ExtractableHit[]): Quote[] {
  const asked = contentTerms(question);
  const candidates = hits.flatMap((hit, index) => candidatesOf(hit, index, question));
  candidates.forEach((candidate, index) => (candidate.position = index));
  const idf = inverseFrequencies(asked, candidates);
  const fitting = candidates.filter((candidate) => fits(candidate, asked));
  return select(fitting, idf)
    .toSorted((one, other) => one.position - other.position)
    .map(({ kind, text, hit }) => ({ kind, text, hit }));
}

/** Words that carry meaning, stemmed as the index stems them. */
function contentTerms(text: string): Set<string> {
  const words = tokenizeWords(text).filter((word) => !FUNCTION_WORDS.has(word));
  return new Set(words.map(stemWord));
}

function candidatesOf(hit: ExtractableHit, index: number, asked: string): Candidate[] {
  const title = [hit.semantic_identifier, ...hit.headings].join('\n');
  const askedWords = tokenizeWords(asked).join(' ');
  let question = '';
  return splitUnits(hit.text).flatMap((unit) => {
    const context = contentTerms(`${title}\n${unit.heading}\n${question}`);
    // A question is no answer, but where questions and answers alternate it says what the next sentence is about.
    const isQuestion = /[?？]["')\]*_]*$/.test(unit.text);
    question = isQuestion ? unit.text : '';
    if (isQuestion || asksTheSame(unit, askedWords)) return [];
    const terms = contentTerms(unit.text);
    const weight = shapeWeight(unit, terms.size) / (1 + RANK_PENALTY * index);
    return { kind: unit.kind, text: unit.text, hit: index, position: 0, terms, context, weight };
  });
}

/** Code that asks the question itself, as the examples of a manual do, shares every word with it and answers nothing. */
function asksTheSame(unit: Unit, askedWords: string): boolean {
  if (unit.kind !== 'block' || !/^\s*[`~]/.test(unit.text)) return false;
  if (askedWords.split(' ').length < MIN_WORDS_OF_QUESTION) return false;
  return tokenizeWords(unit.text).join(' ').includes(askedWords);
}

function shapeWeight(unit: Unit, terms: number): number {
  // What announces a list says nothing without it.
  if (terms < 3 || unit.text.endsWith(':')) return 0.6;
  return unit.kind === 'block' ? 0.8 : 1;
}

/**
 * Whether a unit speaks of what was asked. One word shared out of three or more is chance ("world" in "who won the
 * world cup?"), unless heading or title share it too.
 */
function fits(candidate: Candidate, asked: ReadonlySet<string>): boolean {
  if (asked.size === 0 || candidate.terms.size === 0) return false;
  const own = asked.intersection(candidate.terms).size;
  const context = asked.intersection(candidate.context).size;
  if (own === 0) return context / asked.size >= MIN_CONTEXT_COVERAGE;
  return asked.size < 3 || own + context >= 2;
}

/** BM25's idf over the units of these hits: a word that every unit holds tells none of them apart. */
function inverseFrequencies(
  asked: ReadonlySet<string>,
  candidates: readonly Candidate[],
): ReadonlyMap<string, number> {
  const total = candidates.length;
  const idfOf = (term: string): number => {
    const holding = candidates.filter((candidate) => candidate.terms.has(term)).length;
    return Math.log(1 + (total - holding + 0.5) / (holding + 0.5));
  };
  return new Map([...asked].map((term) => [term, idfOf(term)]));
}

function select(candidates: readonly Candidate[], idf: ReadonlyMap<string, number>): Candidate[] {
  const chosen: Candidate[] = [];
  const covered = new Set<string>();
  let left = [...candidates];
  let best = 0;
  let length = 0;
  while (chosen.length < MAX_QUOTES && left.length > 0) {
    const scored = left.map((candidate) => ({ candidate, value: gain(candidate, idf, covered) }));
    const top = scored.reduce((one, other) => (other.value > one.value ? other : one));
    if (top.value <= 0 || top.value < best * MIN_SHARE_OF_BEST) break;
    best = Math.max(best, top.value);
    left = left.filter((candidate) => !isRepetition(candidate, top.candidate));
    if (chosen.length > 0 && length + top.candidate.text.length > MAX_ANSWER_LENGTH) continue;
    chosen.push(top.candidate);
    length += top.candidate.text.length;
    for (const term of top.candidate.terms) covered.add(term);
  }
  return chosen;
}

function gain(
  candidate: Candidate,
  idf: ReadonlyMap<string, number>,
  covered: ReadonlySet<string>,
): number {
  let sum = 0;
  for (const [term, weight] of idf) {
    const share = covered.has(term) ? REPEATED_TERM_SHARE : 1;
    if (candidate.terms.has(term)) sum += weight * share;
    else if (candidate.context.has(term)) sum += weight * share * CONTEXT_SHARE;
  }
  return sum * candidate.weight;
}

/** Also true for the candidate itself. */
function isRepetition(candidate: Candidate, chosen: Candidate): boolean {
  if (candidate === chosen || chosen.text.includes(candidate.text)) return true;
  const shared = candidate.terms.intersection(chosen.terms).size;
  return shared / candidate.terms.union(chosen.terms).size >= DUPLICATE_SIMILARITY;
}
