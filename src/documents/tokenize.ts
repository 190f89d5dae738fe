import { normalizeText } from '#src/platform/normalize-text.ts';
import { termId } from './bm25.ts';
import { type ExpandedWord, expandWord, stemWord, termsOf } from './expand-word.ts';
import { NumberList } from './number-list.ts';
import { type SpecialWord, specialWords } from './special-words.ts';
import { WordFeatures } from './word-features.ts';
import { FEATURES, SALT, TERM, UNKEPT, UNKNOWN, WordTable } from './word-table.ts';

/**
 * A run of letters, marks and digits, joined by single hyphens, underscores or apostrophes. Every repetition is bounded,
 * because the engine may keep a stack entry for each: five million characters without a space overflow its stack.
 */
export const WORD_PATTERN =
  /[\p{L}\p{M}\p{N}]{1,30000}(?:[-_'’][\p{L}\p{M}\p{N}]{1,30000}){0,15}/gu;
const NON_ASCII = /[^\0-\x7f]/;
const NO_TERM = -2;

/** What is made of a word as it stands in a text, once for many texts. */
interface Expansion extends ExpandedWord {
  /** Ids of the terms under `salt`, which is that of the last workspace; null before the first. */
  ids: Int32Array | null;
  salt: number;
  /** Where the records of the words in `wordFeatures` begin; null until the builtin embedder asks. */
  features: Int32Array | null;
}

/** By plain word: `Queue` and `queue` share theirs. */
export const wordFeatures = new WordFeatures();
const expansions = new WordTable<Expansion>(
  (word) => ({ ...expandWord(word), ids: null, salt: 0, features: null }),
  forgetWords,
);

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
    const isKnown = records[place + SALT] === signedSalt;
    const id = isKnown ? (records[place + TERM] ?? UNKNOWN) : UNKNOWN;
    if (symbols.size > 0 && symbols.has(starts[at] ?? 0)) {
      // The letter of `C++` does not stand alone.
      idList.addAll(idsAt(at, salt).subarray(0, 1));
    } else if (id === UNKNOWN) {
      idList.addAll(idsAt(at, salt));
    } else if (id !== NO_TERM) {
      idList.add(id);
    }
  }
  return idList.values();
}

const idList = new NumberList();

/** Of a word of the text that was read last. */
function idsAt(at: number, salt: number): Int32Array {
  const expansion = expansions.entryAt(at);
  if (expansion.ids === null || expansion.salt !== salt) {
    expansion.ids = Int32Array.from(expansion.terms, (term) => termId(term, salt));
    expansion.salt = salt;
  }
  const place = expansions.places[at] ?? UNKEPT;
  if (place !== UNKEPT && expansion.ids.length < 2) {
    expansions.records[place + TERM] = expansion.ids[0] ?? NO_TERM;
    expansions.records[place + SALT] = salt;
  }
  return expansion.ids;
}

/** Where the records in `wordFeatures` of the plain words of `text` begin, in order: valid until the next call. */
export function featurePlaces(text: string): Int32Array {
  if (wordFeatures.isFull) expansions.forget();
  const words = readWords(text);
  const { places, records } = expansions;
  featureList.clear();
  for (let at = 0; at < words; at += 1) {
    const known = records[(places[at] ?? UNKEPT) + FEATURES] ?? UNKNOWN;
    if (known === UNKNOWN) featureList.addAll(featuresAt(at));
    else featureList.add(known);
  }
  return featureList.values();
}

const featureList = new NumberList();

/** Of a word of the text that was read last. */
function featuresAt(at: number): Int32Array {
  const expansion = expansions.entryAt(at);
  expansion.features ??= Int32Array.from(expansion.words, (word) =>
    wordFeatures.placeOf(word, stemWord),
  );
  const place = expansions.places[at] ?? UNKEPT;
  const [only] = expansion.features;
  if (place !== UNKEPT && only !== undefined && expansion.features.length === 1) {
    expansions.records[place + FEATURES] = only;
  }
  return expansion.features;
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
}
