import { FUNCTION_WORDS } from '#src/documents/stop-words.ts';
import { tokenizeWords } from '#src/documents/tokenize.ts';
import { holdsAmount, type Measure } from './asked-value.ts';
import { stemDistinct } from './everyday-words.ts';
import { subjectOf } from './subject-of.ts';
import { splitUnits, type Unit } from './split-units.ts';
import { ungroupNumbers } from './ungroup-numbers.ts';

/** A found document, with its quotable passages in order. */
export interface Source {
  title: string;
  /** Search score; comparable among the sources of one answer. */
  score: number;
  passages: readonly Passage[];
}

export interface Passage {
  text: string;
  /** Headings that the passage begins under. */
  headings: readonly string[];
}

/** A quotable unit, with the words around it. */
export interface Candidate {
  unit: Unit;
  /** Index of the source that it comes from. */
  hit: number;
  passage: Passage;
  /** Position among all units, so that quotes of one document keep their order. */
  position: number;
  /** Whether it is the first of its section. */
  isFirst: boolean;
  terms: ReadonlySet<string>;
  /** Stems of what it explains, if it explains something. */
  subject: ReadonlySet<string>;
  /** Stems of the heading above it, and of a question right before it. */
  heading: ReadonlySet<string>;
  /** Stems of the document's title and of the headings that the passage begins under. */
  title: ReadonlySet<string>;
  /** Stems of the document's title alone. */
  documentTitle: ReadonlySet<string>;
}

export interface Passages {
  /** Units in order, hit by hit. */
  candidates: Candidate[];
  /** Every word of them → its stem. */
  vocabulary: Map<string, string>;
}

/** Added to the stems of a unit as a marker for an amount of money, weight and the like. */
export function amountStem(measure: Measure): string {
  return `#${measure}`;
}

/** Fewer words are keywords, and code that contains them may be what the user wants. */
const MIN_QUESTION_WORDS = 4;
/** Share of brackets, calls and the like among all characters: prose has less. */
const MAX_SHARE_OF_MARKS = 0.05;

/** The quotable parts of the sources for a question, which may ask for an amount of something. */
export function readCandidates(
  question: string,
  measure: Measure | null,
  sources: readonly Source[],
): Passages {
  const vocabulary = new Map<string, string>();
  const stemsOf = (text: string): Set<string> => {
    const stems = new Set<string>();
    for (const word of tokenizeWords(ungroupNumbers(text))) {
      if (FUNCTION_WORDS.has(word)) continue;
      const stem = stemDistinct(word);
      vocabulary.set(word, stem);
      stems.add(stem);
    }
    return stems;
  };
  const termsOf = (text: string): Set<string> => {
    const stems = stemsOf(text);
    if (measure !== null && stems.size > 0 && holdsAmount(text, measure)) {
      stems.add(amountStem(measure));
      vocabulary.set(amountStem(measure), amountStem(measure));
    }
    return stems;
  };
  const asked = tokenizeWords(question).join(' ');
  const candidates = sources.flatMap(({ title, passages }, hit) => {
    const ofTitle = stemsOf(title);
    return passages.flatMap((passage) =>
      candidatesOf(passage, { hit, ofTitle, asked, stemsOf, termsOf }),
    );
  });
  candidates.forEach((candidate, position) => (candidate.position = position));

  return { candidates, vocabulary };
}

interface Reading {
  hit: number;
  ofTitle: ReadonlySet<string>;
  asked: string;
  stemsOf: (text: string) => Set<string>;
  /** The stems of a unit, plus a marker for an amount. */
  termsOf: (text: string) => Set<string>;
}

function candidatesOf(passage: Passage, reading: Reading): Candidate[] {
  const { hit, ofTitle, asked, stemsOf, termsOf } = reading;
  const title = ofTitle.union(stemsOf(passage.headings.join('\n')));
  const headings = new Map<string, ReadonlySet<string>>();
  const headingStems = (heading: string): ReadonlySet<string> => {
    const known = headings.get(heading) ?? stemsOf(heading);
    headings.set(heading, known);
    return known;
  };
  let question = '';
  let section = -1;
  return splitUnits(passage.text).flatMap((unit) => {
    const ofHeading = headingStems(unit.heading || (passage.headings.at(-1) ?? ''));
    // A question is not an answer, but in a FAQ it says what the next sentence is about.
    const heading = question === '' ? ofHeading : ofHeading.union(stemsOf(question));
    const isQuestion = /[?？]["')\]*_]*$/.test(unit.text);
    question = isQuestion ? unit.text : '';
    if (isQuestion || asksTheSame(unit, asked)) return [];
    const isFirst = unit.section !== section;
    section = unit.section;
    const terms = termsOf(unit.text);
    if (terms.size === 0) return [];
    const subject = stemsOf(subjectOf(unit.text));
    const own = { unit, isFirst, terms, subject };
    return [{ ...own, hit, passage, position: 0, heading, title, documentTitle: ofTitle }];
  });
}

export function isCode({ kind, text }: Unit): boolean {
  return kind === 'block' && /^\s*[`~]{3}/.test(text);
}

/** Code without its fence, because the passage begins inside the block. */
export function isBareCode({ kind, text }: Unit): boolean {
  if (kind === 'block') return false;
  const prose = text.replaceAll(/`[^`]*`/g, '');
  const marks = prose.match(/[{}[\]=<>]|(?<=[\w>])\(|\)(?=[\s)]*[;{=]|$)/g)?.length ?? 0;
  return marks / prose.length > MAX_SHARE_OF_MARKS;
}

/** Code that asks the question itself, as in the examples of a manual: it shares every word and answers nothing. */
function asksTheSame(unit: Unit, asked: string): boolean {
  if (unit.kind !== 'block' || !/^\s*[`~]/.test(unit.text)) return false;
  if (asked.split(' ').length < MIN_QUESTION_WORDS) return false;
  return tokenizeWords(unit.text).join(' ').includes(asked);
}
