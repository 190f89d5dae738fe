import { stemmer } from 'stemmer';

import { foldWord } from './fold-word.ts';
import { bareLetter } from './special-words.ts';
import { splitCompound } from './split-compound.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Longer terms are cut: they are still found, and base64 does not bloat the index. */
const MAX_TERM_LENGTH = 64;

/** Scripts written without spaces between words: indexed as overlapping pairs. */
const UNSPACED_SCRIPTS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const UNSPACED_OR_SPACED = new RegExp(`[${UNSPACED_SCRIPTS}]+|[^${UNSPACED_SCRIPTS}]+`, 'gu');
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'u');
const NON_ASCII = /[^\0-\x7f]/;
const ASCII_LETTERS = /^[a-z]+$/;
const JOINERS = /[-_'’]/g;
/** aB | ABc: the word boundaries in camelCase and XMLHttp. */
const CAMEL_BOUNDARY = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** What a word as it stands in a text is indexed as. */
export interface ExpandedWord {
  /** Lower case; identifiers whole and in parts. */
  words: readonly string[];
  /** The same, and what each may be searched by: without accents, and the parts of a compound. */
  found: readonly string[];
  terms: readonly string[];
}

export function expandWord(word: string): ExpandedWord {
  const words = NON_ASCII.test(word)
    ? (word.match(UNSPACED_OR_SPACED) ?? []).flatMap(splitRun)
    : splitIdentifier(word);
  const found = words.flatMap(withForms);
  return { words, found, terms: termsOf(found) };
}

/** The term that a word from `tokenizeWords` is indexed as. */
export function stemWord(word: string): string {
  return ASCII_LETTERS.test(word) ? stemmer(word) : word;
}

/** Whether `word` is written in a script without spaces, so that its terms are pairs of characters. */
export function isUnspaced(word: string): boolean {
  return STARTS_UNSPACED.test(word);
}

/** The stems of the words that are no stop words. */
export function termsOf(words: readonly string[]): string[] {
  return words.filter((word) => !STOP_WORDS.has(word)).map(stemWord);
}

function withForms(word: string): string[] {
  const bare = bareLetter(word);
  if (bare !== null) return [word, bare];
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
