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
  /** Position in its document. */
  chunk_ind: number;
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
  /** Whether its document begins with it, or nearly so: there most texts say what they are about. */
  isOpening: boolean;
  terms: ReadonlySet<string>;
  /** The same in order, with repetitions, from its nearest heading on. */
  words: readonly string[];
  /** Stems of what it explains, if it explains something. */
  subject: ReadonlySet<string>;
  /** Stems of the heading above it, of the term that it explains, and of a question right before it. */
  heading: ReadonlySet<string>;
  /** Stems of the nearest of them: of the term, if there is one. */
  label: ReadonlySet<string>;
  /** Stems of the document's title and of the headings that the passage begins under. */
  title: ReadonlySet<string>;
  /** Stems of the document's title alone. */
  documentTitle: ReadonlySet<string>;
  /** The document's title. */
  documentName: string;
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
/** Of a title that is a file name. */
const FILE_EXTENSION = /(?<=[\p{L}\p{N}])\.(?:md|markdown|txt|html?|rst|adoc|pdf|docx?)$/iu;
/** Units that a document begins with. */
const OPENING_UNITS = 3;
/** Share of brackets, calls and the like among all characters: prose has less. */
const MAX_SHARE_OF_MARKS = 0.05;

/** The quotable parts of the sources for a question, which may ask for an amount of something. */
export function readCandidates(
  question: string,
  measure: Measure | null,
  sources: readonly Source[],
): Passages {
  const vocabulary = new Map<string, string>();
  const wordsOf = (text: string): string[] =>
    tokenizeWords(ungroupNumbers(text)).flatMap((word) => {
      if (FUNCTION_WORDS.has(word)) return [];
      const stem = vocabulary.get(word) ?? stemDistinct(word);
      vocabulary.set(word, stem);
      return stem;
    });
  const termsOf = (text: string, words: readonly string[]): Set<string> => {
    const stems = new Set(words);
    if (measure !== null && stems.size > 0 && holdsAmount(text, measure)) {
      stems.add(amountStem(measure));
      vocabulary.set(amountStem(measure), amountStem(measure));
    }
    return stems;
  };
  const asked = tokenizeWords(question).join(' ');
  const candidates = sources.flatMap(({ title, passages }, hit) => {
    const ofTitle = new Set(wordsOf(title.replace(FILE_EXTENSION, '')));
    return passages.flatMap((passage) =>
      candidatesOf(passage, { hit, ofTitle, documentName: title, asked, wordsOf, termsOf }),
    );
  });
  candidates.forEach((candidate, position) => (candidate.position = position));

  return { candidates, vocabulary };
}

interface Reading {
  hit: number;
  ofTitle: ReadonlySet<string>;
  documentName: string;
  asked: string;
  /** Stems in order. */
  wordsOf: (text: string) => string[];
  /** The stems of a unit, plus a marker for an amount. */
  termsOf: (text: string, words: readonly string[]) => Set<string>;
}

interface Heading {
  words: readonly string[];
  stems: ReadonlySet<string>;
}

function toHeading(words: readonly string[]): Heading {
  return { words, stems: new Set(words) };
}

function candidatesOf(passage: Passage, reading: Reading): Candidate[] {
  const { hit, ofTitle, documentName, asked, wordsOf, termsOf } = reading;
  const title = ofTitle.union(new Set(wordsOf(passage.headings.join('\n'))));
  const headings = new Map<string, Heading>();
  const readHeading = (heading: string): Heading => {
    const known = headings.get(heading) ?? toHeading(wordsOf(heading));
    headings.set(heading, known);
    return known;
  };
  let question = '';
  let section = -1;
  let opening = passage.chunk_ind === 0 ? OPENING_UNITS : 0;
  return splitUnits(passage.text).flatMap((unit) => {
    const above = readHeading(unit.heading || (passage.headings.at(-1) ?? ''));
    const ofTerm = readHeading(unit.term).stems;
    // A question is not an answer, but in a FAQ it says what the next sentence is about.
    const heading = above.stems.union(ofTerm).union(new Set(wordsOf(question)));
    const label = ofTerm.size > 0 ? ofTerm : heading;
    const isQuestion = /[?？]["')\]*_]*$/.test(unit.text);
    question = isQuestion ? unit.text : '';
    if (isQuestion || isBareLink(unit) || asksTheSame(unit, asked)) return [];
    const isFirst = unit.section !== section;
    section = unit.section;
    const ownWords = wordsOf(unit.text);
    const terms = termsOf(unit.text, ownWords);
    if (terms.size === 0) return [];
    const subject = new Set(wordsOf(subjectOf(unit.text)));
    opening -= 1;
    const isOpening = opening >= 0;
    const own = { unit, isFirst, isOpening, terms, words: [...above.words, ...ownWords], subject };
    const named = { documentTitle: ofTitle, documentName };
    return [{ ...own, hit, passage, position: 0, heading, label, title, ...named }];
  });
}

export function isCode({ kind, text }: Unit): boolean {
  return kind === 'block' && /^\s*[`~]{3}/.test(text);
}

/** An address says nothing; what it leads to may. */
function isBareLink({ text }: Unit): boolean {
  return /^[^\p{L}]{0,10}(?:https?|ftp|mailto):\S+[^\p{L}]*$/u.test(text);
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
