import { FUNCTION_WORDS } from '#src/documents/stop-words.ts';
import { tokenizeWords } from '#src/documents/tokenize.ts';
import { holdsAmount, type Measure } from './asked-value.ts';
import { stemApart } from './everyday-words.ts';
import { subjectOf } from './subject-of.ts';
import { splitUnits, type Unit } from './split-units.ts';

/** A document that was found, with those of its passages that may be quoted, in order. */
export interface Source {
  title: string;
  /** Of the search; comparable among the sources of one answer. */
  score: number;
  passages: readonly Passage[];
}

export interface Passage {
  text: string;
  /** That it begins under. */
  headings: readonly string[];
}

/** A unit that may be quoted, with the words around it. */
export interface Candidate {
  unit: Unit;
  /** Index of the source that it comes from. */
  hit: number;
  passage: Passage;
  /** Place among all units, so that quotes of one document keep its order. */
  position: number;
  /** Whether it is the first of its section. */
  isFirst: boolean;
  terms: ReadonlySet<string>;
  /** Of what it explains, if it explains something. */
  subject: ReadonlySet<string>;
  /** Of the heading above it, and of a question right before it. */
  heading: ReadonlySet<string>;
  /** Of the document's title and of the headings that the passage begins under. */
  title: ReadonlySet<string>;
  /** Of the document's title alone. */
  documentTitle: ReadonlySet<string>;
}

export interface Passages {
  /** Units in order, hit after hit. */
  candidates: Candidate[];
  /** Every word of them → its stem. */
  vocabulary: Map<string, string>;
}

/** Stands among the stems of a unit for an amount of money, weight and the like. */
export function amountStem(measure: Measure): string {
  return `#${measure}`;
}

/** Fewer are keywords, and code that holds them may be what is looked for. */
const MIN_WORDS_OF_QUESTION = 4;
/** Brackets, calls and the like, of all characters: prose has less. */
const MAX_SHARE_OF_MARKS = 0.05;

/** What of the sources may be quoted in answer to a question, which may ask for an amount of something. */
export function readCandidates(
  question: string,
  measure: Measure | null,
  sources: readonly Source[],
): Passages {
  const vocabulary = new Map<string, string>();
  const stemsOf = (text: string): Set<string> => {
    const stems = new Set<string>();
    for (const word of tokenizeWords(text)) {
      if (FUNCTION_WORDS.has(word)) continue;
      const stem = stemApart(word);
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
  /** Those of a unit, with that of an amount. */
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
    // A question is no answer, but where questions and answers alternate it says what the next sentence is about.
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

/** Code that has lost its fence, because the passage begins in the middle of it. */
export function isBareCode({ kind, text }: Unit): boolean {
  if (kind === 'block') return false;
  const prose = text.replaceAll(/`[^`]*`/g, '');
  const marks = prose.match(/[{}[\]=<>]|(?<=[\w>])\(|\)(?=[\s)]*[;{=]|$)/g)?.length ?? 0;
  return marks / prose.length > MAX_SHARE_OF_MARKS;
}

/** Code that asks the question itself, as the examples of a manual do, shares every word with it and answers nothing. */
function asksTheSame(unit: Unit, asked: string): boolean {
  if (unit.kind !== 'block' || !/^\s*[`~]/.test(unit.text)) return false;
  if (asked.split(' ').length < MIN_WORDS_OF_QUESTION) return false;
  return tokenizeWords(unit.text).join(' ').includes(asked);
}
