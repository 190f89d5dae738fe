import type { Embedder } from './embed.ts';
import { hash32 } from './hash-text.ts';
import { compileSpreader, type FeatureSpreader } from './spread-features.ts';
import { STOP_WORDS } from './stop-words.ts';
import { featureNumbers, wordFeatures } from './tokenize.ts';

const DEFAULT_DIMENSIONS = 1024;
const MIN_DIMENSIONS = 256;
const MAX_DIMENSIONS = 2048;
/** Best score among 1,400 Cranfield texts at 1024 dimensions: 0.10–0.15 for unrelated queries, else 0.2–0.4. */
const NOISE_FLOOR = 0.12;
const DENSE_WEIGHT = 0.2;
const STEM_SHARE = 0.5;
/** Seeds are part of the model: changing one invalidates every stored vector. */
const SIGN_SEEDS = [0x5eed01, 0x5eed02];

const spreaders = new Map<number, FeatureSpreader>();

/**
 * An embedder without a model, based on hashed character n-grams. It matches inflections, compounds, identifiers and
 * typos, but knows no synonyms. Deterministic and offline. `dimensions` must be a power of two from 256 to 2048.
 */
export function createBuiltinEmbedder(options: { dimensions?: number } = {}): Embedder {
  const dimensions = options.dimensions ?? DEFAULT_DIMENSIONS;
  checkDimensions(dimensions);
  return {
    model: `hash-cg35-${dimensions}-v1`,
    dimensions,
    denseWeight: DENSE_WEIGHT,
    noiseFloor: NOISE_FLOOR,
    async embedDocuments(texts, signal) {
      return texts.map((text) => {
        signal.throwIfAborted();
        return embedText(text, dimensions);
      });
    },
    async embedQuery(text, idf) {
      return embedQueryText(text, dimensions, idf);
    },
    async close() {},
  };
}

/** A query's vector: document vectors hold no corpus statistics, so the current `idf` of each stem is applied here. */
export function embedQueryText(
  text: string,
  dimensions: number,
  idf: (stem: string) => number,
): Float32Array {
  const vector = embedText(text, dimensions, (stem, word) =>
    STOP_WORDS.has(word) ? 0 : idf(stem),
  );
  const isEmpty = vector.every((value) => value === 0);
  // "Who is it?" has only words that do not count: a weak vector is better than none.
  return isEmpty ? embedText(text, dimensions) : vector;
}

/**
 * Unit-length vector of `text` (zero if it has no word). Each word adds its n-grams, scaled by 1/√count, and half its
 * stem, weighted by (1 + ln tf) · `weightOf`. Two rounds of random signs and a Walsh–Hadamard transform then spread the
 * features over all dimensions, which preserves every cosine and makes the sign bits of short texts meaningful.
 */
export function embedText(
  text: string,
  dimensions: number,
  weightOf: ((stem: string, word: string) => number) | null = null,
): Float32Array {
  const { vector, spread } = spreaderOf(dimensions);
  vector.fill(0);
  const distinct = countWords(text);
  const { words, stems, shares } = wordFeatures;
  for (let at = 0; at < distinct; at += 1) {
    const number = met[at] ?? 0;
    const tf = 1 + Math.log(counts[number] ?? 0);
    const known = weightOf === null ? 1 : weightOf(stems[number] ?? '', words[number] ?? '');
    addFeatures(vector, number, (shares[number] ?? 0) * tf * known);
  }
  spread();
  return vector.slice();
}

function checkDimensions(dimensions: number): void {
  const isPowerOfTwo = Number.isInteger(Math.log2(dimensions));
  if (!isPowerOfTwo || dimensions < MIN_DIMENSIONS || dimensions > MAX_DIMENSIONS) {
    throw new RangeError(
      `EMBEDDING_DIMENSIONS is ${dimensions}; the builtin embedder takes 256, 512, 1024 or 2048.`,
    );
  }
}

/** Numbers in `wordFeatures` of the distinct words of the text that was counted last. */
let met = new Int32Array(1024);
/** By those numbers: how often each occurs in it, valid where `countedIn` has its number. */
let counts = new Int32Array(1024);
let countedIn = new Int32Array(1024);
let countings = 0;

/** @returns how many distinct words `text` has; they are in `met` until the next call */
function countWords(text: string): number {
  let distinct = 0;
  countings += 1;
  const numbers = featureNumbers(text);
  if (wordFeatures.size > counts.length) makeRoom(wordFeatures.size);
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] ?? 0;
    if (countedIn[number] === countings) {
      counts[number] = (counts[number] ?? 0) + 1;
    } else {
      countedIn[number] = countings;
      counts[number] = 1;
      met[distinct] = number;
      distinct += 1;
    }
  }
  return distinct;
}

function makeRoom(size: number): void {
  const grown = (values: Int32Array): typeof met => {
    const larger = new Int32Array(2 * size);
    larger.set(values);
    return larger;
  };
  [met, counts, countedIn] = [grown(met), grown(counts), grown(countedIn)];
}

/** The low bits of a hash select the dimension, the highest bit the sign. */
function addFeatures(vector: Float32Array, number: number, weight: number): void {
  const mask = vector.length - 1;
  const { grams, stemHashes } = wordFeatures;
  const from = wordFeatures.startOf(number);
  const end = wordFeatures.ends[number] ?? 0;
  const gramWeight = weight / Math.sqrt(end - from);
  for (let at = from; at < end; at += 1) {
    const hash = grams[at] ?? 0;
    const index = hash & mask;
    // Multiplied by the sign, 1 or -1: a branch would be mispredicted half of the time.
    vector[index] = (vector[index] ?? 0) + gramWeight * ((hash >> 31) | 1);
  }
  const stem = stemHashes[number] ?? 0;
  const index = stem & mask;
  vector[index] = (vector[index] ?? 0) + weight * STEM_SHARE * ((stem >> 31) | 1);
}

function spreaderOf(dimensions: number): FeatureSpreader {
  const known = spreaders.get(dimensions);
  if (known !== undefined) return known;
  const rotations = SIGN_SEEDS.map((seed) =>
    Float32Array.from({ length: dimensions }, (_, index) =>
      (hash32(String(index), seed) & 1) === 0 ? 1 : -1,
    ),
  );
  const spreader = compileSpreader(rotations);
  spreaders.set(dimensions, spreader);
  return spreader;
}
