import { hash32 } from './hash-text.ts';
import { FUNCTION_WORDS } from './stop-words.ts';

const GRAM_LENGTHS = [3, 4, 5];
/** Seeds are part of the model: changing one invalidates every stored vector. */
const GRAM_SEED = 0x67726d;
const STEM_SEED = 0x73746d;
const MAX_WORDS = 100_000;
/** Of a vector with the most dimensions. */
const INDEX_BITS = 11;
const LEAST_RECORDS = 2 ** 16;

/** Fields of a record. Behind them stand the features of the n-grams, two in each place. */
export const NUMBER = 0;
export const GRAMS = 1;
export const STEM = 2;
/** Words that carry grammar count less: so many quarters. */
export const QUARTERS = 3;
/** For whoever counts words: how often, and in which text. */
export const COUNT = 4;
export const COUNTED_IN = 5;
const FIELDS = 6;

/**
 * What the builtin embedder makes of words. Each has a record, in which all stands that a text asks of it.
 *
 * A feature has the dimension in its low bits, which are as many as the vector has, and a sign.
 */
export class WordFeatures {
  readonly #places = new Map<string, number>();
  /** By number. */
  words: string[] = [];
  stems: string[] = [];
  records = new Int32Array(LEAST_RECORDS);
  /** The same as halves: the n-grams of a record begin at `firstGram`. */
  halves = new Int16Array(this.records.buffer);
  #end = 0;

  get isFull(): boolean {
    return this.words.length >= MAX_WORDS;
  }

  forget(): void {
    this.#places.clear();
    this.words = [];
    this.stems = [];
    this.#end = 0;
  }

  /**
   * @param stemOf is asked for a word that is not known
   * @returns where the record of the word begins
   */
  placeOf(word: string, stemOf: (word: string) => string): number {
    const known = this.#places.get(word);
    if (known !== undefined) return known;
    const place = this.#end;
    const stem = stemOf(word);
    const framed = `^${word}$`;
    this.#makeRoom(place + FIELDS + GRAM_LENGTHS.length * framed.length);
    const { records } = this;
    const first = firstGram(place);
    const end = this.#addGrams(framed, first);
    records[place + NUMBER] = this.words.length;
    records[place + GRAMS] = end - first;
    records[place + STEM] = featureOf(hash32(stem, STEM_SEED));
    records[place + QUARTERS] = FUNCTION_WORDS.has(word) ? 1 : 4;
    records[place + COUNTED_IN] = 0;
    this.#end = (end + 1) >> 1;
    this.words.push(word);
    this.stems.push(stem);
    this.#places.set(word, place);
    return place;
  }

  /** Of every character 3-, 4- and 5-gram. @returns where they end */
  #addGrams(framed: string, first: number): number {
    let next = first;
    for (const gram of GRAM_LENGTHS) {
      for (let start = 0; start + gram <= framed.length; start += 1) {
        this.halves[next] = featureOf(hash32(framed, GRAM_SEED, start, start + gram));
        next += 1;
      }
    }
    return next;
  }

  #makeRoom(end: number): void {
    if (end <= this.records.length) return;
    const larger = new Int32Array(2 * end);
    larger.set(this.records);
    this.records = larger;
    this.halves = new Int16Array(larger.buffer);
  }
}

export function firstGram(place: number): number {
  return 2 * (place + FIELDS);
}

/** The low bits of a hash select the dimension, the highest bit the sign. */
function featureOf(hash: number): number {
  return (hash & (2 ** INDEX_BITS - 1)) | ((hash >> 31) << INDEX_BITS);
}
