import { stemmer } from 'stemmer';

import { normalizeText } from '#src/platform/normalize-text.ts';
import { termId } from './bm25.ts';
import { foldWord } from './fold-word.ts';
import { createWordTable } from './scan-words.ts';
import { specialWords } from './special-words.ts';
import { splitCompound } from './split-compound.ts';
import { STOP_WORDS } from './stop-words.ts';
import { featuresOf, type WordFeatures } from './word-features.ts';

/** Longer terms are cut: they are still found, and base64 does not bloat the index. */
const MAX_TERM_LENGTH = 64;

/**
 * A run of letters, marks and digits, joined by single hyphens, underscores or apostrophes. Every repetition is bounded,
 * because the engine may keep a stack entry for each: five million characters without a space overflow its stack.
 */
export const WORD_PATTERN =
  /[\p{L}\p{M}\p{N}]{1,30000}(?:[-_'’][\p{L}\p{M}\p{N}]{1,30000}){0,15}/gu;
/** Scripts written without spaces between words: indexed as overlapping pairs. */
const UNSPACED_SCRIPTS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const UNSPACED_OR_SPACED = new RegExp(`[${UNSPACED_SCRIPTS}]+|[^${UNSPACED_SCRIPTS}]+`, 'gu');
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'u');
const NON_ASCII = /[^\0-\x7f]/;
const ASCII_LETTERS = /^[a-z]+$/;
const JOINERS = /[-_'’]/g;
/** aB | ABc: the word boundaries in camelCase and XMLHttp. */
const CAMEL_BOUNDARY = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** What is made of a word as it stands in a text, once for many texts. */
interface Expansion {
  /** What `tokenizeWords` gives. */
  words: readonly string[];
  /** The same, and what each may be searched by: without accents, and the parts of a compound. */
  found: readonly string[];
  terms: readonly string[];
  /** Ids of the terms under `salt`, which is that of the last workspace; null before the first. */
  ids: Int32Array | null;
  salt: number;
  /** What the builtin embedder makes of the words; null until it is asked. */
  features: readonly WordFeatures[] | null;
}

/** By plain word: `Queue` and `queue` share theirs. */
const features = new Map<string, WordFeatures>();
const expansions = createWordTable(expansionOf, () => features.clear());

/**
 * The terms of `text` in order, as BM25 counts them: NFKC, lower case, identifiers whole and in parts, no stop words,
 * Porter stems; words with accents also without them, compounds also in parts, versions and `C++` also as they stand.
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
  expansions.scan(normalized(text), (expansion) => {
    for (const part of expansion.words) words.push(part);
  });
  return words;
}

/** The terms of the plain words: every row of the index has them, whichever version wrote it. */
export function stableTerms(text: string): string[] {
  return termsOf(tokenizeWords(text));
}

/** The term that a word from `tokenizeWords` is indexed as. */
export function stemWord(word: string): string {
  return ASCII_LETTERS.test(word) ? stemmer(word) : word;
}

/** Whether `word` is written in a script without spaces, so that its terms are pairs of characters. */
export function isUnspaced(word: string): boolean {
  return STARTS_UNSPACED.test(word);
}

function collect(text: string, what: 'found' | 'terms'): string[] {
  const normal = normalized(text);
  const specials = specialWords(normal);
  const collected: string[] = [];
  let next = 0;
  expansions.scan(normal, (expansion, start) => {
    for (; (specials[next]?.index ?? Infinity) <= start; next += 1) {
      const words = specials[next]?.words ?? [];
      for (const word of words) collected.push(what === 'found' ? word : stemWord(word));
    }
    for (const part of expansion[what]) collected.push(part);
  });
  return collected;
}

function normalized(text: string): string {
  return NON_ASCII.test(text) ? normalizeText(text, 'NFKC') : text;
}

function expansionOf(word: string): Expansion {
  const words = NON_ASCII.test(word)
    ? (word.match(UNSPACED_OR_SPACED) ?? []).flatMap(splitRun)
    : splitIdentifier(word);
  const found = words.flatMap(withForms);
  return { words, found, terms: termsOf(found), ids: null, salt: 0, features: null };
}

/** The ids of the terms of `text` under a workspace's salt, in no particular order: one for each occurrence. */
export function termIds(text: string, salt: number): Int32Array {
  const normal = normalized(text);
  let length = 0;
  const add = (ids: Int32Array): void => {
    if (length + ids.length > idBuffer.length) idBuffer = grown(idBuffer, length + ids.length);
    for (let at = 0; at < ids.length; at += 1) idBuffer[length + at] = ids[at] ?? 0;
    length += ids.length;
  };
  for (const { words } of specialWords(normal)) {
    add(Int32Array.from(words, (word) => termId(stemWord(word), salt)));
  }
  expansions.scan(normal, (expansion) => {
    if (expansion.ids === null || expansion.salt !== salt) {
      expansion.ids = Int32Array.from(expansion.terms, (term) => termId(term, salt));
      expansion.salt = salt;
    }
    add(expansion.ids);
  });
  return idBuffer.slice(0, length);
}

let idBuffer = new Int32Array(1024);

function grown(buffer: Int32Array, length: number): typeof idBuffer {
  const larger = new Int32Array(Math.max(length, 2 * buffer.length));
  larger.set(buffer);
  return larger;
}

/** Calls `take` for each plain word of `text`, in order. The same word has the same features while it is remembered. */
export function scanFeatures(text: string, take: (features: WordFeatures) => void): void {
  expansions.scan(normalized(text), (expansion) => {
    expansion.features ??= expansion.words.map(knownFeatures);
    for (const known of expansion.features) take(known);
  });
}

function knownFeatures(word: string): WordFeatures {
  const known = features.get(word);
  if (known !== undefined) return known;
  const made = featuresOf(word, stemWord(word));
  features.set(word, made);
  return made;
}

function termsOf(words: readonly string[]): string[] {
  return words.filter((word) => !STOP_WORDS.has(word)).map(stemWord);
}

function withForms(word: string): string[] {
  const folded = foldWord(word);
  const parts = splitCompound(folded);
  return folded === word || folded === '' ? [word, ...parts] : [word, capped(folded), ...parts];
}

function splitRun(run: string): string[] {
  return isUnspaced(run) ? bigrams(run) : splitIdentifier(run);
}

function bigrams(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return [run];
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}

const PLAIN = /^(?:[A-Z]?[a-z]*|[a-z0-9]*)$/;

/** `time-sharing` → timesharing, time, sharing; `XMLParser` → xmlparser, xml, parser; `Claude's` → claude. */
function splitIdentifier(identifier: string): string[] {
  if (PLAIN.test(identifier)) return [capped(identifier.toLowerCase())];
  const word = identifier.replace(/['’]s$/i, '');
  const whole = capped(word.replace(JOINERS, '').toLowerCase());
  const parts = word
    .split(JOINERS)
    .flatMap((part) => (part.length > MAX_TERM_LENGTH ? [part] : part.split(CAMEL_BOUNDARY)));
  // Between the runs of `漢-字`, only joiners are left.
  if (whole === '') return [];
  if (parts.length < 2) return [whole];
  // A single letter (`don't`, `x-ray`) means nothing by itself.
  const telling = parts.filter((part) => part.length > 1 || /\p{N}/u.test(part));
  return [whole, ...telling.map((part) => capped(part.toLowerCase()))];
}

function capped(term: string): string {
  return term.length <= MAX_TERM_LENGTH ? term : term.slice(0, MAX_TERM_LENGTH).toWellFormed();
}
