import { normalizeText } from '#src/platform/normalize-text.ts';
import { termId } from './bm25.ts';
import { type ExpandedWord, expandWord, stemWord, termsOf } from './expand-word.ts';
import { NumberList } from './number-list.ts';
import { type SpecialWord, specialWords } from './special-words.ts';
import { WordFeatures } from './word-features.ts';
import { FEATURE, FEATURES, SALT, TERM, TERMS, UNKEPT, UNKNOWN, WordTable } from './word-table.ts';

/**
 * A run of letters, marks and digits, joined by single hyphens, underscores or apostrophes. Every repetition is bounded,
 * because the engine may keep a stack entry for each: five million characters without a space overflow its stack.
 */
export const WORD_PATTERN =
  /[\p{L}\p{M}\p{N}]{1,30000}(?:[-_'’][\p{L}\p{M}\p{N}]{1,30000}){0,15}/gu;
const NON_ASCII = /[^\0-\x7f]/;

/** By plain word: `Queue` and `queue` share theirs. */
export const wordFeatures = new WordFeatures();
/** What is made of each word as it stands in a text, once for many texts. */
const expansions = new WordTable<ExpandedWord>(expandWord, forgetWords);
/** The terms, or the features, of words that have several. */
const several = new NumberList();

/**
 * The terms of `text` in order, as BM25 counts them: NFKC, lower case, identifiers whole and in parts, no stop words,
 * Porter stems; words with accents also without them, compounds also in parts, versions, `C++` and emoji also as they
 * stand.
 * Documents and queries use the same function.
 *
 * `stableTerms` are always among them. So a query finds what an older version indexed, which has those alone.
 */
export function tokenize(text: string): string[] {
  return collect(text, 'terms');
}

/** The words of `tokenize`, neither stemmed nor without stop words. */
export function searchWords(text: string): string[] {
  return collect(text, 'found');
}

/** The plain words of a text: lower case, identifiers whole and in parts. The builtin embedder's vectors rest on them. */
export function tokenizeWords(text: string): string[] {
  const words: string[] = [];
  const length = readWords(text);
  for (let at = 0; at < length; at += 1) {
    for (const part of expansions.entryAt(at).words) words.push(part);
  }
  return words;
}

/** The terms of the plain words: every row of the index has them, whichever version wrote it. */
export function stableTerms(text: string): string[] {
  return termsOf(tokenizeWords(text));
}

function collect(text: string, what: 'found' | 'terms'): string[] {
  const length = readWords(text);
  const specials = specialWords(last.normal);
  const collected: string[] = [];
  let next = 0;
  const addSpecials = (until: number): SpecialWord | undefined => {
    let last: SpecialWord | undefined;
    for (; (specials[next]?.index ?? Infinity) <= until; next += 1) {
      last = specials[next];
      for (const word of last?.words ?? []) {
        collected.push(what === 'found' ? word : stemWord(word));
      }
    }
    return last;
  };
  for (let at = 0; at < length; at += 1) {
    const start = expansions.starts[at] ?? 0;
    const words = expansions.entryAt(at)[what];
    const special = addSpecials(start);
    // The letter of `C++` does not stand alone.
    const isOfSymbol = special?.isSymbol === true && special.index === start;
    if (isOfSymbol) collected.push(...words.slice(0, 1));
    else for (const part of words) collected.push(part);
  }
  addSpecials(last.normal.length);
  return collected;
}

function normalized(text: string): string {
  return NON_ASCII.test(text) ? normalizeText(text, 'NFKC') : text;
}

/**
 * The ids of the terms of `text` under a workspace's salt, in no particular order: one for each occurrence. Valid until
 * the next call.
 */
export function termIds(text: string, salt: number): Int32Array {
  const words = readWords(text);
  const { places, records, starts } = expansions;
  const signedSalt = salt | 0;
  const symbols = new Set<number>();
  idList.clear();
  for (const { words: special, index, isSymbol } of specialWords(last.normal)) {
    for (const word of special) idList.add(termId(stemWord(word), salt));
    if (isSymbol) symbols.add(index);
  }
  for (let at = 0; at < words; at += 1) {
    const place = places[at] ?? UNKEPT;
    const isKnown = records[place + SALT] === signedSalt && records[place + TERMS] !== UNKNOWN;
    // The letter of `C++` does not stand alone.
    const most = symbols.size > 0 && symbols.has(starts[at] ?? 0) ? 1 : Infinity;
    if (place === UNKEPT) {
      for (const id of idsAt(at, salt).slice(0, most)) idList.add(id);
    } else {
      if (!isKnown) learnTerms(at, salt);
      addKept(idList, records[place + TERM] ?? 0, records[place + TERMS] ?? 0, most);
    }
  }
  return idList.values();
}

/**
 * Calls `take` with the terms of each word of `text` by itself, and where it stands. A word that the process has met
 * costs a look, not a `tokenize`.
 * @returns false, and does nothing, where a look does not tell: normal forms stand elsewhere in a text
 */
export function scanTerms(
  text: string,
  take: (terms: readonly string[], start: number, end: number) => void,
): boolean {
  if (NON_ASCII.test(text)) return false;
  const words = readWords(text);
  const { starts, ends } = expansions;
  for (let at = 0; at < words; at += 1) {
    take(expansions.entryAt(at).terms, starts[at] ?? 0, ends[at] ?? 0);
  }
  return true;
}

/** The ids of the terms that `tokenize` gives, in the same order. */
export function orderedTermIds(text: string, salt: number): Int32Array {
  // Only special words stand elsewhere.
  if (specialWords(normalized(text)).length === 0) return termIds(text, salt).slice();
  return Int32Array.from(tokenize(text), (term) => termId(term, salt));
}

const idList = new NumberList();

function learnTerms(at: number, salt: number): void {
  const { records, places } = expansions;
  const place = places[at] ?? UNKEPT;
  const ids = idsAt(at, salt);
  const isFirst = records[place + TERMS] === UNKNOWN;
  records[place + SALT] = salt;
  records[place + TERMS] = ids.length;
  // Under another salt, a word has other ids, and as many.
  if (isFirst || ids.length === 1) records[place + TERM] = keep(ids);
  else several.replace(records[place + TERM] ?? 0, ids);
}

/** Of a word of the text that was read last. */
function idsAt(at: number, salt: number): number[] {
  return expansions.entryAt(at).terms.map((term) => termId(term, salt));
}

/** Where the records in `wordFeatures` of the plain words of `text` begin, in order: valid until the next call. */
export function featurePlaces(text: string): Int32Array {
  if (wordFeatures.isFull) expansions.forget();
  const words = readWords(text);
  const { places, records } = expansions;
  featureList.clear();
  for (let at = 0; at < words; at += 1) {
    const place = places[at] ?? UNKEPT;
    if (place === UNKEPT) {
      for (const feature of featuresAt(at)) featureList.add(feature);
    } else {
      if (records[place + FEATURES] === UNKNOWN) learnFeatures(at);
      addKept(featureList, records[place + FEATURE] ?? 0, records[place + FEATURES] ?? 0);
    }
  }
  return featureList.values();
}

const featureList = new NumberList();

function learnFeatures(at: number): void {
  const { records, places } = expansions;
  const place = places[at] ?? UNKEPT;
  const features = featuresAt(at);
  records[place + FEATURES] = features.length;
  records[place + FEATURE] = keep(features);
}

/** Of a word of the text that was read last. */
function featuresAt(at: number): number[] {
  return expansions.entryAt(at).words.map((word) => wordFeatures.placeOf(word, stemWord));
}

/** @returns what stands in a record for these numbers */
function keep(numbers: readonly number[]): number {
  if (numbers.length === 1) return numbers[0] ?? 0;
  const from = several.length;
  for (const number of numbers) several.add(number);
  return from;
}

/** Adds the numbers for which `kept` stands in a record: `count`, or fewer. */
function addKept(list: NumberList, kept: number, count: number, most: number = count): void {
  if (count === 1) {
    list.add(kept);
    return;
  }
  const end = kept + Math.min(count, most);
  for (let at = kept; at < end; at += 1) list.add(several.at(at));
}

/** The text that was read last: its terms and its features are asked for one after the other. */
const last = { text: '', normal: '', words: 0 };

/** Reads the words of `text` into `expansions`. @returns how many there are */
function readWords(text: string): number {
  if (last.text === text) return last.words;
  forgetText();
  const normal = normalized(text);
  last.words = expansions.read(normal);
  last.normal = normal;
  last.text = text;
  return last.words;
}

function forgetText(): void {
  last.text = '';
  last.normal = '';
  last.words = 0;
}

function forgetWords(): void {
  forgetText();
  wordFeatures.forget();
  several.clear();
}
