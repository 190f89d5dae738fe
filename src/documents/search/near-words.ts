import { foldWord } from '#src/documents/fold-word.ts';
import { bucketOf } from '#src/documents/word-buckets.ts';
import { editDistance } from './edit-distance.ts';

/** From this length on, two edits still leave most of the word. */
const LONG_WORD = 9;
/** Nearest words that are looked up in the index, of which one is chosen. */
const MAX_CHOICES = 8;
/** A shorter word says too little with an ending less. */
const SHORTEST_STEM = 4;
/** What inflection puts at the end of a word in languages that have no stemmer here. */
const ENDINGS: ReadonlySet<string> = new Set(
  'e n s es en er em ern а у ы и е я ю о й ь ом ем ой ей ов ам ям ах ях ый ая ое ых ого'.split(' '),
);
/** Letters that other keyboards write as two; after a vowel (`neue`, `Steuer`) they are two. */
const DIGRAPHS = /(?<![aeiouq])([aou])e|(a)a/g;
/** A word stands in the bucket of its first letter as it is written. */
const ACCENTED: Readonly<Record<string, string>> = {
  a: 'äáàâãåæ',
  c: 'çčć',
  d: 'đð',
  e: 'éèêë',
  i: 'íìîïı',
  l: 'ł',
  n: 'ñń',
  o: 'öóòôõøœ',
  s: 'šśş',
  u: 'üúùû',
  y: 'ýÿ',
  z: 'žźż',
  е: 'ё',
};

/** A word of the workspace, and how far it is from the one that was typed. */
export interface NearWord {
  word: string;
  /** 0: they differ in accents alone, or in letters that were typed as two. */
  edits: number;
  /** They are one word in two inflections. */
  isInflection: boolean;
}

/** `gruen` → grun, as `grün` is indexed; null when nothing is written as two letters. */
export function withoutDigraphs(word: string): string | null {
  const plain = foldWord(word).replace(DIGRAPHS, '$1$2');
  return plain === word ? null : plain;
}

/** The buckets of words that begin with one of the first two letters: people rarely get the first letter wrong, but
 * swap or double it. */
export function bucketsNear(word: string): number[] {
  const edits = editsFor(word);
  const typed = formsOf(word);
  const shortest = Math.min(...typed.map((form) => form.length)) - edits;
  const longest = Math.max(...typed.map((form) => form.length)) + edits;
  const lengths = Array.from({ length: longest - shortest + 1 }, (_, at) => shortest + at);
  const letters = new Set(typed.flatMap((form) => Array.from(form.slice(0, 2))));
  const written = [...letters].flatMap((letter) => [letter, ...Array.from(ACCENTED[letter] ?? '')]);
  return written.flatMap((letter) => lengths.map((length) => bucketOf(letter, length)));
}

/** The nearest of these words: one edit away, from nine letters on two. */
export function nearWords(word: string, words: readonly string[]): NearWord[] {
  const limit = editsFor(word);
  const typed = formsOf(word);
  return words
    .map((known) => {
      const edits = distance(typed, known, limit);
      return { word: known, edits, isInflection: edits <= limit && isInflection(word, known) };
    })
    .filter(({ edits }) => edits <= limit)
    .sort(
      (a, b) =>
        Number(b.isInflection) - Number(a.isInflection) ||
        a.edits - b.edits ||
        (a.word < b.word ? -1 : 1),
    )
    .slice(0, MAX_CHOICES);
}

/** Whether one of the words is the other and an ending: `Kündigung`, `Kündigungen`. */
function isInflection(a: string, b: string): boolean {
  const [shorter, longer] = [foldWord(a), foldWord(b)].sort((x, y) => x.length - y.length);
  if (shorter === undefined || longer === undefined) return false;
  return (
    shorter.length >= SHORTEST_STEM &&
    longer.startsWith(shorter) &&
    ENDINGS.has(longer.slice(shorter.length))
  );
}

function distance(typed: readonly string[], known: string, limit: number): number {
  const folded = foldWord(known);
  return Math.min(...typed.map((form) => editDistance(form, folded, limit)));
}

function formsOf(word: string): string[] {
  const plain = withoutDigraphs(word);
  return plain === null ? [word] : [...new Set([foldWord(word), plain])];
}

function editsFor(word: string): number {
  return word.length < LONG_WORD ? 1 : 2;
}
