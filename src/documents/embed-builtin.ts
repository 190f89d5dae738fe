import { fastWalshHadamard, normalize } from '#src/platform/vector.ts';

import type { Embedder } from './embed.ts';
import { hash32 } from './hash-text.ts';
import { FUNCTION_WORDS, STOP_WORDS } from './stop-words.ts';
import { stemWord, tokenizeWords } from './tokenize.ts';

const DEFAULT_DIMENSIONS = 1024;
const MIN_DIMENSIONS = 256;
const MAX_DIMENSIONS = 2048;
/** Best score among 1,400 Cranfield texts at 1024 dimensions: 0.10–0.15 for unrelated queries, else 0.2–0.4. */
const NOISE_FLOOR = 0.12;
const DENSE_WEIGHT = 0.2;
const GRAM_LENGTHS = [3, 4, 5];
const STEM_SHARE = 0.5;
const FUNCTION_WORD_SHARE = 0.25;
const MAX_CACHED_WORDS = 50_000;
/** Seeds are part of the model: changing one invalidates every stored vector. */
const GRAM_SEED = 0x67726d;
const STEM_SEED = 0x73746d;
const SIGN_SEEDS = [0x5eed01, 0x5eed02];

interface WordFeatures {
  stem: string;
  /** Hash of every character 3-, 4- and 5-gram of `^word$`. */
  grams: Int32Array;
  stemHash: number;
}

const featuresByWord = new Map<string, WordFeatures>();
const rotationsByDimensions = new Map<number, Float32Array[]>();

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
  weightOf: (stem: string, word: string) => number = () => 1,
): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const [word, count] of countWords(text)) {
    const features = featuresOf(word);
    const share = FUNCTION_WORDS.has(word) ? FUNCTION_WORD_SHARE : 1;
    const weight = share * (1 + Math.log(count)) * weightOf(features.stem, word);
    addFeatures(vector, features, weight);
  }
  for (const signs of rotationsOf(dimensions)) {
    for (let index = 0; index < dimensions; index += 1) {
      vector[index] = (vector[index] ?? 0) * (signs[index] ?? 0);
    }
    fastWalshHadamard(vector);
  }
  return normalize(vector);
}

function checkDimensions(dimensions: number): void {
  const isPowerOfTwo = Number.isInteger(Math.log2(dimensions));
  if (!isPowerOfTwo || dimensions < MIN_DIMENSIONS || dimensions > MAX_DIMENSIONS) {
    throw new RangeError(
      `EMBEDDING_DIMENSIONS is ${dimensions}; the builtin embedder takes 256, 512, 1024 or 2048.`,
    );
  }
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of tokenizeWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function addFeatures(vector: Float32Array, features: WordFeatures, weight: number): void {
  const mask = vector.length - 1;
  const gramWeight = weight / Math.sqrt(features.grams.length);
  for (const gram of features.grams) addHashed(vector, mask, gram, gramWeight);
  addHashed(vector, mask, features.stemHash, weight * STEM_SHARE);
}

/** The low bits select the dimension, the highest bit the sign. */
function addHashed(vector: Float32Array, mask: number, hash: number, weight: number): void {
  const index = hash & mask;
  vector[index] = (vector[index] ?? 0) + (hash < 0 ? -weight : weight);
}

function featuresOf(word: string): WordFeatures {
  const known = featuresByWord.get(word);
  if (known !== undefined) return known;
  if (featuresByWord.size >= MAX_CACHED_WORDS) featuresByWord.clear();
  const stem = stemWord(word);
  const framed = `^${word}$`;
  const hashes: number[] = [];
  for (const length of GRAM_LENGTHS) {
    for (let start = 0; start + length <= framed.length; start += 1) {
      hashes.push(hash32(framed.slice(start, start + length), GRAM_SEED));
    }
  }
  const features = { stem, grams: Int32Array.from(hashes), stemHash: hash32(stem, STEM_SEED) | 0 };
  featuresByWord.set(word, features);
  return features;
}

function rotationsOf(dimensions: number): Float32Array[] {
  const known = rotationsByDimensions.get(dimensions);
  if (known !== undefined) return known;
  const rotations = SIGN_SEEDS.map((seed) =>
    Float32Array.from({ length: dimensions }, (_, index) =>
      (hash32(String(index), seed) & 1) === 0 ? 1 : -1,
    ),
  );
  rotationsByDimensions.set(dimensions, rotations);
  return rotations;
}
