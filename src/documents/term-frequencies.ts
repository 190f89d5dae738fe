import { lengthNorm, MAX_WEIGHT, termWeight } from './bm25.ts';
import { ByteReader, ByteWriter } from './varint-bytes.ts';

/** How often each term of a chunk occurs, and how many terms it has. */
export interface TermFrequencies {
  /** Null: the weights were made by another formula, and `counts` holds their bits. */
  length: number | null;
  /** In the order of the terms. */
  counts: Uint32Array;
}

/** The terms of a chunk as a row of `chunk_terms` has them: with weights if an earlier version wrote it. */
export interface TermRow {
  terms: number[];
  /** `sparsevec` as text. */
  weights: string | null;
  frequencies: Uint8Array | null;
}

/** Nearly every chunk has a term that occurs once; one of a table may not. */
const MAX_RAREST_COUNT = 8;
const MAX_LENGTH = 1_000_000;

export function frequenciesOf({ terms, weights, frequencies }: TermRow): TermFrequencies {
  if (frequencies === null) return frequenciesBehind(readWeights(weights ?? '{}'));
  const counts = decodeCounts(frequencies, terms.length);
  return { length: textLength(counts), counts };
}

/** The document half of BM25 for each term of a row, in their order. */
export function weightsOf(row: TermRow): Float32Array {
  if (row.frequencies === null) return readWeights(row.weights ?? '{}');
  const counts = decodeCounts(row.frequencies, row.terms.length);
  const length = textLength(counts);
  return Float32Array.from(counts, (count) => termWeight(count, length));
}

/** How many terms a text has whose terms occur so often. */
export function textLength(counts: Uint32Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Only terms that occur more than once take space: for each, its place in the list of terms, less the place of the one
 * before, and its count.
 */
export function encodeCounts(counts: Uint32Array): Buffer {
  const writer = new ByteWriter();
  let last = -1;
  for (let place = 0; place < counts.length; place += 1) {
    const count = counts[place] ?? 1;
    if (count === 1) continue;
    writer.varint(place - last);
    writer.varint(count);
    last = place;
  }
  return writer.finish();
}

/** @param terms number of terms of the chunk */
export function decodeCounts(bytes: Uint8Array, terms: number): Uint32Array {
  const counts = new Uint32Array(terms).fill(1);
  const reader = new ByteReader(bytes);
  for (let place = -1; reader.at < bytes.length;) {
    place += reader.varint();
    counts[place] = reader.varint();
  }
  return counts;
}

/** Of a `sparsevec` as text, `{7:0.5,264:1.25}/536870912`: in the order of the terms. */
function readWeights(sparse: string): Float32Array {
  const elements = sparse.slice(1, sparse.indexOf('}'));
  if (elements === '') return new Float32Array();
  return Float32Array.from(elements.split(','), (one) => Number(one.slice(one.indexOf(':') + 1)));
}

/**
 * Finds the whole numbers behind the BM25 weights of a chunk that an earlier version wrote. Every weight is checked to be
 * exactly the one that the numbers give; where no numbers do, the weights are kept.
 */
export function frequenciesBehind(weights: Float32Array): TermFrequencies {
  const least = weights.reduce((a, b) => Math.min(a, b), Infinity);
  for (let rarest = 1; rarest <= MAX_RAREST_COUNT; rarest += 1) {
    const length = lengthOf(least, rarest);
    if (length < 1 || length > MAX_LENGTH) continue;
    const counts = countsFor(weights, length);
    if (counts) return { length, counts };
  }
  return { length: null, counts: new Uint32Array(weights.slice().buffer) };
}

/** The number of terms for which a term that occurs `count` times has this weight. */
function lengthOf(weight: number, count: number): number {
  const norm = count * (MAX_WEIGHT / weight - 1);
  return Math.round((norm - lengthNorm(0)) / (lengthNorm(1) - lengthNorm(0)));
}

function countsFor(weights: Float32Array, length: number): Uint32Array | null {
  const norm = lengthNorm(length);
  const counts = new Uint32Array(weights.length);
  for (const [at, weight] of weights.entries()) {
    const count = Math.round((weight * norm) / (MAX_WEIGHT - weight));
    if (count < 1 || Math.fround(termWeight(count, length)) !== weight) return null;
    counts[at] = count;
  }
  return counts;
}
