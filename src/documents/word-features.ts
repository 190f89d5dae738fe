import { hash32 } from './hash-text.ts';
import { FUNCTION_WORDS } from './stop-words.ts';

const GRAM_LENGTHS = [3, 4, 5];
const FUNCTION_WORD_SHARE = 0.25;
/** Seeds are part of the model: changing one invalidates every stored vector. */
const GRAM_SEED = 0x67726d;
const STEM_SEED = 0x73746d;
const MAX_WORDS = 100_000;

/** What the builtin embedder makes of words. They are numbered, and what it needs of each is in typed arrays. */
export class WordFeatures {
  readonly #numbers = new Map<string, number>();
  words: string[] = [];
  stems: string[] = [];
  /** Hashes of every character 3-, 4- and 5-gram of `^word$`: those of a word end at `ends`, where the next begin. */
  grams = new Int32Array(2 ** 16);
  ends = new Int32Array(2 ** 10);
  stemHashes = new Int32Array(2 ** 10);
  /** Words that carry grammar count less. */
  shares = new Float64Array(2 ** 10);

  /** How many words there are; their numbers are below it. */
  get size(): number {
    return this.words.length;
  }

  get isFull(): boolean {
    return this.words.length >= MAX_WORDS;
  }

  forget(): void {
    this.#numbers.clear();
    this.words = [];
    this.stems = [];
  }

  /** @param stemOf is asked for a word that is not known */
  numberOf(word: string, stemOf: (word: string) => string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.words.length;
    const stem = stemOf(word);
    this.words.push(word);
    this.stems.push(stem);
    this.#numbers.set(word, number);
    this.#makeRoom(number, word.length);
    this.stemHashes[number] = hash32(stem, STEM_SEED) | 0;
    this.shares[number] = FUNCTION_WORDS.has(word) ? FUNCTION_WORD_SHARE : 1;
    this.ends[number] = this.#addGrams(`^${word}$`, this.startOf(number));
    return number;
  }

  /** Where the grams of a word begin. */
  startOf(number: number): number {
    return number === 0 ? 0 : (this.ends[number - 1] ?? 0);
  }

  /** @returns where they end */
  #addGrams(framed: string, from: number): number {
    let next = from;
    for (const gram of GRAM_LENGTHS) {
      for (let start = 0; start + gram <= framed.length; start += 1) {
        this.grams[next] = hash32(framed, GRAM_SEED, start, start + gram);
        next += 1;
      }
    }
    return next;
  }

  #makeRoom(number: number, wordLength: number): void {
    if (number >= this.ends.length) {
      const size = 2 * this.ends.length;
      this.ends = grown(this.ends, new Int32Array(size));
      this.stemHashes = grown(this.stemHashes, new Int32Array(size));
      this.shares = grown(this.shares, new Float64Array(size));
    }
    const grams = this.startOf(number) + GRAM_LENGTHS.length * (wordLength + 2);
    if (grams > this.grams.length) this.grams = grown(this.grams, new Int32Array(2 * grams));
  }
}

function grown<Values extends { set(values: Values): void }>(
  values: Values,
  larger: Values,
): Values {
  larger.set(values);
  return larger;
}
