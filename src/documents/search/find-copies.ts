import { phraseForm } from '#src/documents/match-phrase.ts';
import { hashWords } from './hash-words.ts';

/** A found passage and its document, best first. */
export interface Passage {
  title: string;
  text: string;
  /** Of the text. */
  print: TextPrint;
  /** Of its document. */
  chunkCount: number;
}

/** By which texts are compared: a few hundred bytes. */
export interface TextPrint {
  words: number;
  /** Of all words in order: different when the forms are, all but surely. */
  hash: number;
  /** Bottom-k sketch: the smallest distinct hashes of the shingles, ascending (Broder 1997). */
  sketch: Int32Array;
}

/** Words of a shingle: what two texts have in common is counted in these. */
const SHINGLE = 3;
/** Smallest hashes kept of a text: with 64 the estimate is within 0.04 for texts that are nearly the same. */
const SKETCH = 64;
/** Share of shingles in common from which two passages are near-copies: one sentence of a full passage differs. */
const NEAR = 0.85;
/** Passages of fewer words say too little to be taken for copies without the same title. */
const FEW_WORDS = 12;

/** Smallest hashes by which copies are looked up: passages that are near share one of them, all but surely. */
const LOOKED_UP = 8;
const GOLDEN_RATIO = 0x9e3779b1;
/** In a form, where one space stands between words. */
const WITH_DIGIT = /(?<![^ ])[^ \p{N}]*\p{N}[^ ]*/gu;

/**
 * Finds near-copies among passages by their words. Costs a few ms for 200 passages and keeps nothing in the index, so
 * what a user may not see cannot count.
 * @returns for each passage the place of the first one that it is a copy of, its own when it is none
 */
export function findCopies(passages: readonly Passage[]): number[] {
  const originals = new Map<number, number[]>();
  return passages.map((passage, place) => {
    const { hash, sketch } = passage.print;
    const keys = [hash, ...sketch.subarray(0, LOOKED_UP)];
    const known = new Set(keys.flatMap((key) => originals.get(key) ?? []));
    const original = [...known]
      .toSorted((a, b) => a - b)
      .find((other) => areCopies(passages[other], passage));
    if (original !== undefined) return original;
    for (const key of keys) {
      const others = originals.get(key);
      if (others) others.push(place);
      else originals.set(key, [place]);
    }
    return place;
  });
}

/** What `findCopies` compares texts by. */
export function printOf(text: string): TextPrint {
  const hashes = hashWords(text);
  return {
    words: hashes.length,
    hash: mixed(hashes, 0, hashes.length),
    sketch: sketchOf(hashes),
  };
}

/** The forms are made only of passages that may be copies. */
function areCopies(a: Passage | undefined, b: Passage): boolean {
  if (a === undefined) return false;
  const shorter = Math.min(a.print.words, b.print.words);
  if (shorter < FEW_WORDS) return shorter > 0 && haveSameText(a, b) && haveSameTitle(a, b);
  // `report (1)` is a copy of `report`; but a passage that two documents share does not make them copies.
  if (a.chunkCount === b.chunkCount && haveSameText(a, b)) return true;
  if (shorter < NEAR * Math.max(a.print.words, b.print.words)) return false;
  if (resemblance(a.print.sketch, b.print.sketch) < NEAR) return false;
  // What differs in a number is about different things.
  return numbersOf(a.text) === numbersOf(b.text) && numbersOf(a.title) === numbersOf(b.title);
}

function haveSameText(a: Passage, b: Passage): boolean {
  return a.print.hash === b.print.hash && phraseForm(a.text) === phraseForm(b.text);
}

function haveSameTitle(a: Passage, b: Passage): boolean {
  return phraseForm(a.title) === phraseForm(b.title);
}

function numbersOf(text: string): string {
  return (phraseForm(text).match(WITH_DIGIT) ?? []).join(' ');
}

/** One hash of the hashes of neighbouring words. */
function mixed(hashes: Int32Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at += 1) {
    hash = Math.imul((hash << 5) ^ (hash >>> 27) ^ (hashes[at] ?? 0), GOLDEN_RATIO);
  }
  return hash;
}

function sketchOf(hashes: Int32Array): Int32Array {
  if (hashes.length < FEW_WORDS) return new Int32Array();
  const shingles = new Int32Array(hashes.length - SHINGLE + 1);
  for (let start = 0; start < shingles.length; start += 1) {
    shingles[start] = mixed(hashes, start, start + SHINGLE);
  }
  return smallestDistinct(shingles.sort(), SKETCH);
}

function smallestDistinct(ascending: Int32Array, count: number): Int32Array {
  const smallest = new Int32Array(Math.min(count, ascending.length));
  let kept = 0;
  for (let at = 0; at < ascending.length && kept < count; at += 1) {
    if (at > 0 && ascending[at] === ascending[at - 1]) continue;
    smallest[kept] = ascending[at] ?? 0;
    kept += 1;
  }
  return smallest.subarray(0, kept);
}

/** Estimates the Jaccard index: of the smallest hashes of both together, the share that both have. */
function resemblance(a: Int32Array, b: Int32Array): number {
  let common = 0;
  let seen = 0;
  const wanted = Math.min(SKETCH, Math.max(a.length, b.length));
  for (let i = 0, j = 0; seen < wanted && (i < a.length || j < b.length); seen += 1) {
    const left = a[i] ?? Infinity;
    const right = b[j] ?? Infinity;
    if (left === right) common += 1;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return seen === 0 ? 0 : common / seen;
}
