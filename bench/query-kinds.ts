import { FUNCTION_WORDS } from '#src/documents/stop-words.ts';
import type { Collection } from './collections.ts';
import type { PlainBm25 } from './plain-bm25.ts';
import { createRandom } from './synthetic-documents.ts';

const LONGER_WORD = /[A-Za-z]{5,}/g;
const MISSPELT_SHARE = 0.4;
const KEYWORDS = 3;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const SEED = 7;

type Query = Collection['queries'][number];

/** The queries as they are, with 40 % of the longer words misspelt, and as their three rarest words. */
export function queryKinds(
  { queries }: Collection,
  bm25: PlainBm25,
): Record<'whole' | 'misspelt' | 'keyword', Query[]> {
  const random = createRandom(SEED);
  return {
    whole: queries,
    misspelt: queries.map(({ id, text }) => ({ id, text: misspell(text, random) })),
    keyword: queries.map(({ id, text }) => ({ id, text: keywordsOf(text, bm25) })),
  };
}

/** Two letters in the middle of the word change places. */
export function swapLetters(word: string): string {
  const middle = Math.floor(word.length / 2);
  const differs = (at: number) => word.charAt(at) !== word.charAt(at + 1);
  const at = [middle, middle - 1, middle + 1, 1].find(differs) ?? 1;
  return word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
}

function misspell(text: string, random: () => number): string {
  return text.replace(LONGER_WORD, (word) =>
    random() < MISSPELT_SHARE ? damage(word, random) : word,
  );
}

/** One edit, never of the first letter: letters swapped, left out, put in, or another one. */
function damage(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (word.length - 2));
  const letter = LETTERS.charAt(Math.floor(random() * LETTERS.length));
  const before = word.slice(0, at);
  switch (Math.floor(random() * 4)) {
    case 0:
      return before + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
    case 1:
      return before + word.slice(at + 1);
    case 2:
      return before + letter + word.slice(at);
    default:
      return before + letter + word.slice(at + 1);
  }
}

/** The three rarest words that occur at all, in the order of the query. */
function keywordsOf(text: string, bm25: PlainBm25): string {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);
  const known = [...words].filter((word) => !FUNCTION_WORDS.has(word) && bm25.df(word) > 0);
  const rarest = known.toSorted((a, b) => bm25.df(a) - bm25.df(b)).slice(0, KEYWORDS);
  return known.filter((word) => rarest.includes(word)).join(' ') || text;
}
