import { hash32 } from '#src/documents/hash-text.ts';
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

interface Print {
  form: string;
  words: number;
  title: string;
  /** Words with a digit, in order: passages that differ in one are about different things. */
  numbers: string;
  titleNumbers: string;
  chunkCount: number;
  sketch: Int32Array | null;
}

/**
 * Finds near-copies among passages by their words. Costs a few ms for 200 passages and keeps nothing in the index, so
 * what a user may not see cannot count.
 * @returns for each passage the place of the first one that it is a copy of, its own when it is none
 */
export function findCopies(passages: readonly Passage[]): number[] {
  const prints = passages.map(printOf);
  const originals: number[] = [];
  return prints.map((print, place) => {
    const original = originals.find((other) => areCopies(prints[other], print));
    if (original !== undefined) return original;
    originals.push(place);
    return place;
  });
}

function printOf({ title, text, chunkCount }: Passage): Print {
  const form = phraseForm(text);
  const titleForm = phraseForm(title);
  return {
    form,
    words: form === '' ? 0 : form.split(' ').length,
    title: titleForm,
    numbers: numbersOf(form),
    titleNumbers: numbersOf(titleForm),
    chunkCount,
    sketch: null,
  };
}

function areCopies(a: Print | undefined, b: Print): boolean {
  if (a === undefined) return false;
  if (Math.min(a.words, b.words) < FEW_WORDS) {
    return a.form !== '' && a.form === b.form && a.title === b.title;
  }
  // `report (1)` is a copy of `report`; but passages that two documents share do not make these copies.
  if (a.form === b.form && a.chunkCount === b.chunkCount) return true;
  if (a.numbers !== b.numbers || a.titleNumbers !== b.titleNumbers) return false;
  if (Math.min(a.words, b.words) < NEAR * Math.max(a.words, b.words)) return false;
  return resemblance(sketchOf(a), sketchOf(b)) >= NEAR;
}

function numbersOf(form: string): string {
  return form
    .split(' ')
    .filter((word) => /\p{N}/u.test(word))
    .join(' ');
}

/** Bottom-k sketch: the smallest distinct hashes of the shingles, ascending (Broder 1997). */
function sketchOf(print: Print): Int32Array {
  if (print.sketch) return print.sketch;
  const words = print.form.split(' ');
  const hashes = new Set<number>();
  for (let at = 0; at + SHINGLE <= words.length; at += 1) {
    hashes.add(hash32(words.slice(at, at + SHINGLE).join(' '), 0) | 0);
  }
  print.sketch = Int32Array.from(hashes).sort().slice(0, SKETCH);
  return print.sketch;
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
