import { stemmer } from 'stemmer';

import { normalizeText } from '#src/platform/normalize-text.ts';
import { foldWord } from './fold-word.ts';
import { specialWords } from './special-words.ts';
import { splitCompound } from './split-compound.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Longer terms are cut: they are still found, and base64 does not bloat the index. */
const MAX_TERM_LENGTH = 64;
const MAX_CACHED_WORDS = 50_000;

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

interface Expansion {
  /** What `tokenizeWords` gives. */
  words: readonly string[];
  /** The same, and what each may be searched by: without accents, and the parts of a compound. */
  found: readonly string[];
  terms: readonly string[];
}

/** A cache: word frequencies are Zipfian, so nearly every word has been seen recently. */
const expansions = new Map<string, Expansion>();

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
  for (const word of wordsOf(normalized(text))) {
    for (const part of expand(word).words) words.push(part);
  }
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
  if (specials.length === 0) {
    for (const word of wordsOf(normal)) {
      for (const part of expand(word)[what]) collected.push(part);
    }
    return collected;
  }
  let next = 0;
  for (const { 0: word, index } of normal.matchAll(WORD_PATTERN)) {
    for (; (specials[next]?.index ?? Infinity) <= index; next += 1) {
      const words = specials[next]?.words ?? [];
      collected.push(...(what === 'found' ? words : words.map(stemWord)));
    }
    for (const part of expand(word)[what]) collected.push(part);
  }
  return collected;
}

function wordsOf(normal: string): readonly string[] {
  return normal.match(WORD_PATTERN) ?? [];
}

function normalized(text: string): string {
  return NON_ASCII.test(text) ? normalizeText(text, 'NFKC') : text;
}

function expand(word: string): Expansion {
  const known = expansions.get(word);
  if (known !== undefined) return known;
  if (word.length > MAX_TERM_LENGTH) return expansionOf(word);
  if (expansions.size >= MAX_CACHED_WORDS) expansions.clear();
  // A slice keeps its whole text alive; a copy does not.
  const own = Buffer.from(word).toString();
  const expansion = expansionOf(own);
  expansions.set(own, expansion);
  return expansion;
}

function expansionOf(word: string): Expansion {
  const words = NON_ASCII.test(word)
    ? (word.match(UNSPACED_OR_SPACED) ?? []).flatMap(splitRun)
    : splitIdentifier(word);
  const found = words.flatMap(withForms);
  return { words, found, terms: termsOf(found) };
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

/** `time-sharing` → timesharing, time, sharing; `XMLParser` → xmlparser, xml, parser; `Claude's` → claude. */
function splitIdentifier(identifier: string): string[] {
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
