import { normalizeText } from '#src/platform/normalize-text.ts';
import { termId } from './bm25.ts';
import { type ExpandedWord, expandWord, stemWord, termsOf } from './expand-word.ts';
import { type SpecialWord, specialWords } from './special-words.ts';
import { WordFeatures } from './word-features.ts';
import { MAX_NUMBERS, UNKEPT, WordTable } from './word-table.ts';

/**
 * A run of letters, marks and digits, joined by single hyphens, underscores or apostrophes. Every repetition is bounded,
 * because the engine may keep a stack entry for each: five million characters without a space overflow its stack.
 */
export const WORD_PATTERN =
  /[\p{L}\p{M}\p{N}]{1,30000}(?:[-_'’][\p{L}\p{M}\p{N}]{1,30000}){0,15}/gu;
const NON_ASCII = /[^\0-\x7f]/;
const ASK = -1;
const NO_TERM = -2;

/** What is made of a word as it stands in a text, once for many texts. */
interface Expansion extends ExpandedWord {
  /** Ids of the terms under `salt`, which is that of the last workspace; null before the first. */
  ids: Int32Array | null;
  salt: number;
  /** Numbers of the words in `wordFeatures`; null until the builtin embedder asks. */
  features: Int32Array | null;
}

/** By plain word: `Queue` and `queue` share theirs. */
export const wordFeatures = new WordFeatures();
/**
 * By number of a word that has one term or none, which most have: its id under `salts`, or `NO_TERM`; by number of one
 * that has one plain word: the number of its features. Both spare the way through its entry.
 */
const termIdsByNumber = new Int32Array(MAX_NUMBERS).fill(ASK);
const salts = new Int32Array(MAX_NUMBERS);
const featuresByNumber = new Int32Array(MAX_NUMBERS).fill(ASK);
const expansions = new WordTable<Expansion>(
  (word) => ({ ...expandWord(word), ids: null, salt: 0, features: null }),
  forgetNumbers,
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

/** The ids of the terms of `text` under a workspace's salt, in no particular order: one for each occurrence. */
export function termIds(text: string, salt: number): Int32Array {
  const words = readWords(text);
  const { numbers, starts } = expansions;
  const signedSalt = salt | 0;
  const symbols = new Set<number>();
  let length = 0;
  const add = (ids: Int32Array): void => {
    if (length + ids.length > idBuffer.length) idBuffer = grown(idBuffer, length + ids.length);
    for (let at = 0; at < ids.length; at += 1) idBuffer[length + at] = ids[at] ?? 0;
    length += ids.length;
  };
  for (const { words: special, index, isSymbol } of specialWords(last.normal)) {
    add(Int32Array.from(special, (word) => termId(stemWord(word), salt)));
    if (isSymbol) symbols.add(index);
  }
  if (length + words > idBuffer.length) idBuffer = grown(idBuffer, length + words);
  for (let at = 0; at < words; at += 1) {
    const number = numbers[at] ?? 0;
    const id = salts[number] === signedSalt ? (termIdsByNumber[number] ?? ASK) : ASK;
    if (symbols.size > 0 && symbols.has(starts[at] ?? 0)) {
      // The letter of `C++` does not stand alone.
      add(idsOf(at, salt).subarray(0, 1));
    } else if (id === ASK) {
      add(idsOf(at, salt));
    } else if (id !== NO_TERM) {
      if (length === idBuffer.length) idBuffer = grown(idBuffer, length + 1);
      idBuffer[length] = id;
      length += 1;
    }
  }
  return idBuffer.slice(0, length);
}

let idBuffer = new Int32Array(1024);

function grown(buffer: Int32Array, length: number): typeof idBuffer {
  const larger = new Int32Array(Math.max(length, 2 * buffer.length));
  larger.set(buffer);
  return larger;
}

/** Of the word at a place of the text that was read last. */
function idsOf(at: number, salt: number): Int32Array {
  const expansion = expansions.entryAt(at);
  const number = expansions.numbers[at] ?? UNKEPT;
  if (expansion.ids === null || expansion.salt !== salt) {
    expansion.ids = Int32Array.from(expansion.terms, (term) => termId(term, salt));
    expansion.salt = salt;
  }
  if (number !== UNKEPT && expansion.ids.length < 2) {
    termIdsByNumber[number] = expansion.ids[0] ?? NO_TERM;
    salts[number] = salt;
  }
  return expansion.ids;
}

/** The numbers in `wordFeatures` of the plain words of `text`, in order: valid until the next call. */
export function featureNumbers(text: string): Int32Array {
  if (wordFeatures.isFull) expansions.forget();
  const words = readWords(text);
  const { numbers } = expansions;
  let length = 0;
  for (let at = 0; at < words; at += 1) {
    const known = featuresByNumber[numbers[at] ?? UNKEPT] ?? ASK;
    const several = known === ASK ? featuresAt(at) : NONE;
    const room = length + Math.max(1, several.length);
    if (room > featureBuffer.length) featureBuffer = grown(featureBuffer, room);
    if (known !== ASK) featureBuffer[length++] = known;
    for (let part = 0; part < several.length; part += 1) {
      featureBuffer[length++] = several[part] ?? 0;
    }
  }
  return featureBuffer.subarray(0, length);
}

const NONE = new Int32Array(0);
let featureBuffer = new Int32Array(1024);

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

function forgetNumbers(): void {
  forgetText();
  wordFeatures.forget();
  termIdsByNumber.fill(ASK);
  featuresByNumber.fill(ASK);
}

function featuresAt(at: number): Int32Array {
  const expansion = expansions.entryAt(at);
  const number = expansions.numbers[at] ?? UNKEPT;
  expansion.features ??= Int32Array.from(expansion.words, (word) =>
    wordFeatures.numberOf(word, stemWord),
  );
  const [only] = expansion.features;
  if (number !== UNKEPT && only !== undefined && expansion.features.length === 1) {
    featuresByNumber[number] = only;
  }
  return expansion.features;
}
