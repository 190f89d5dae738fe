import { phraseForm } from '#src/documents/match-phrase.ts';

/** A found passage and its document, best first. */
export interface Passage {
  title: string;
  text: string;
  /** Of its document. */
  chunkCount: number;
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
const SPACE = 32;
const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
const GOLDEN_RATIO = 0x9e3779b1;
/** In a form, where one space stands between words. */
const WITH_DIGIT = /(?<![^ ])[^ \p{N}]*\p{N}[^ ]*/gu;

interface Print {
  form: string;
  words: number;
  title: string;
  chunkCount: number;
  /** Bottom-k sketch: the smallest distinct hashes of the shingles, ascending (Broder 1997). */
  sketch: Int32Array;
}

/**
 * Finds near-copies among passages by their words. Costs a few ms for 200 passages and keeps nothing in the index, so
 * what a user may not see cannot count.
 * @returns for each passage the place of the first one that it is a copy of, its own when it is none
 */
export function findCopies(passages: readonly Passage[]): number[] {
  const prints = passages.map(printOf);
  const originals = new Map<string | number, number[]>();
  return prints.map((print, place) => {
    const keys = [print.form, ...print.sketch.subarray(0, LOOKED_UP)];
    const known = new Set(keys.flatMap((key) => originals.get(key) ?? []));
    const original = [...known]
      .toSorted((a, b) => a - b)
      .find((other) => areCopies(prints[other], print));
    if (original !== undefined) return original;
    for (const key of keys) {
      const others = originals.get(key);
      if (others) others.push(place);
      else originals.set(key, [place]);
    }
    return place;
  });
}

function printOf({ title, text, chunkCount }: Passage): Print {
  const form = phraseForm(text);
  const hashes = wordHashes(form);
  const sketch = sketchOf(hashes);
  return { form, words: hashes.length, title: phraseForm(title), chunkCount, sketch };
}

function areCopies(a: Print | undefined, b: Print): boolean {
  if (a === undefined) return false;
  const shorter = Math.min(a.words, b.words);
  if (shorter < FEW_WORDS) return a.form !== '' && a.form === b.form && a.title === b.title;
  // `report (1)` is a copy of `report`; but a passage that two documents share does not make them copies.
  if (a.form === b.form && a.chunkCount === b.chunkCount) return true;
  if (shorter < NEAR * Math.max(a.words, b.words)) return false;
  if (resemblance(a.sketch, b.sketch) < NEAR) return false;
  // What differs in a number is about different things.
  return numbersOf(a.form) === numbersOf(b.form) && numbersOf(a.title) === numbersOf(b.title);
}

function numbersOf(form: string): string {
  return (form.match(WITH_DIGIT) ?? []).join(' ');
}

/** FNV-1a of each word of a form, in one pass: two hundred passages have forty thousand words. */
function wordHashes(form: string): Int32Array {
  const hashes = new Int32Array(form === '' ? 0 : Math.ceil(form.length / 2));
  let words = 0;
  let hash = FNV_OFFSET;
  for (let at = 0; at <= form.length && form !== ''; at += 1) {
    const unit = at === form.length ? SPACE : form.charCodeAt(at);
    if (unit === SPACE) {
      hashes[words] = hash;
      words += 1;
      hash = FNV_OFFSET;
    } else {
      hash = Math.imul(hash ^ unit, FNV_PRIME);
    }
  }
  return hashes.subarray(0, words);
}

function sketchOf(hashes: Int32Array): Int32Array {
  if (hashes.length < FEW_WORDS) return new Int32Array();
  const shingles = new Int32Array(hashes.length - SHINGLE + 1);
  for (let start = 0; start < shingles.length; start += 1) {
    let mixed = 0;
    for (let at = start; at < start + SHINGLE; at += 1) {
      mixed = Math.imul((mixed << 5) ^ (mixed >>> 27) ^ (hashes[at] ?? 0), GOLDEN_RATIO);
    }
    shingles[start] = mixed;
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
