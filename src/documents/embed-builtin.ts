import type { Embedder } from './embed.ts';
import { hash32 } from './hash-text.ts';
import { compileSpreader, type FeatureSpreader } from './spread-features.ts';
import { STOP_WORDS } from './stop-words.ts';
import { NumberList } from './number-list.ts';
import { featurePlaces, wordFeatures } from './tokenize.ts';
import { COUNT, COUNTED_IN, firstGram, GRAMS, NUMBER, QUARTERS, STEM } from './word-features.ts';

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
  const met = countWords(text);
  const { records, words, stems } = wordFeatures;
  for (let at = 0; at < met.length; at += 1) {
    const place = met[at] ?? 0;
    const number = records[place + NUMBER] ?? 0;
    const count = records[place + COUNT] ?? 0;
    const tf = count === 1 ? 1 : 1 + Math.log(count);
    const share = (records[place + QUARTERS] ?? 0) / 4;
    const known = weightOf === null ? 1 : weightOf(stems[number] ?? '', words[number] ?? '');
    addFeatures(vector, place, share * tf * known);
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

const metWords = new NumberList();
let countings = 0;

/**
 * Counts the words of a text in the records of `wordFeatures`.
 * @returns where those of the distinct words begin; valid until the next call
 */
function countWords(text: string): Int32Array {
  const places = featurePlaces(text);
  const { records } = wordFeatures;
  countings = (countings + 1) | 0;
  metWords.clear();
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] ?? 0;
    if (records[place + COUNTED_IN] === countings) {
      records[place + COUNT] = (records[place + COUNT] ?? 0) + 1;
    } else {
      records[place + COUNTED_IN] = countings;
      records[place + COUNT] = 1;
      metWords.add(place);
    }
  }
  return metWords.values();
}

function addFeatures(vector: Float32Array, place: number, weight: number): void {
  const { records, halves } = wordFeatures;
  const grams = records[place + GRAMS] ?? 0;
  const from = firstGram(place);
  const gramWeight = weight / Math.sqrt(grams);
  for (let at = from; at < from + grams; at += 1) addFeature(vector, halves[at] ?? 0, gramWeight);
  addFeature(vector, records[place + STEM] ?? 0, weight * STEM_SHARE);
}

function addFeature(vector: Float32Array, feature: number, weight: number): void {
  const dimension = feature & (vector.length - 1);
  // Multiplied by the sign, 1 or -1: a branch would be mispredicted half of the time.
  vector[dimension] = (vector[dimension] ?? 0) + weight * ((feature >> 31) | 1);
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
