import { hash32 } from './hash-text.ts';
import { FUNCTION_WORDS } from './stop-words.ts';

const GRAM_LENGTHS = [3, 4, 5];
const FUNCTION_WORD_SHARE = 0.25;
/** Seeds are part of the model: changing one invalidates every stored vector. */
const GRAM_SEED = 0x67726d;
const STEM_SEED = 0x73746d;

/** What the builtin embedder makes of a word. */
export interface WordFeatures {
  word: string;
  stem: string;
  /** Hash of every character 3-, 4- and 5-gram of `^word$`. */
  grams: Int32Array;
  stemHash: number;
  /** Words that carry grammar count less. */
  share: number;
  /** For who counts the words of a text: valid while `counted` is the number of that count. */
  count: number;
  counted: number;
}

export function featuresOf(word: string, stem: string): WordFeatures {
  const framed = `^${word}$`;
  const { length } = framed;
  const size = GRAM_LENGTHS.reduce((sum, gram) => sum + Math.max(0, length - gram + 1), 0);
  const grams = new Int32Array(size);
  let next = 0;
  for (const gram of GRAM_LENGTHS) {
    for (let start = 0; start + gram <= length; start += 1) {
      grams[next] = hash32(framed, GRAM_SEED, start, start + gram);
      next += 1;
    }
  }
  return {
    word,
    stem,
    grams,
    stemHash: hash32(stem, STEM_SEED) | 0,
    share: FUNCTION_WORDS.has(word) ? FUNCTION_WORD_SHARE : 1,
    count: 0,
    counted: 0,
  };
}
