import { LIKENESS } from './weights.ts';

interface Rated {
  documentId: unknown;
  score: number;
  /** Ids of its terms. */
  terms: Int32Array;
}

/**
 * Relevant texts resemble each other, so part of each score is the mean of its five nearest neighbours' scores,
 * weighted by similarity (Diaz 2005, "Regularizing ad hoc retrieval scores"). Similar means cosine of term weights
 * `(1 + ln tf)·ln(1 + n/df)` among these chunks alone. Chunks of the same document do not vouch for each other.
 */
export function smoothScores<T extends Rated>(chunks: readonly T[]): T[] {
  const similarities = compareAll(chunks.map(({ terms }) => terms));
  return chunks.map((chunk, index) => {
    const neighbours = nearest(chunks, chunk, similarities.subarray(index * chunks.length));
    const total = neighbours.reduce((sum, { similarity }) => sum + similarity, 0);
    const theirs = neighbours.reduce((sum, one) => sum + one.similarity * one.score, 0);
    // Nothing resembles it: it is judged by itself.
    const mean = total === 0 ? chunk.score : theirs / total;
    return { ...chunk, score: (1 - LIKENESS.share) * chunk.score + LIKENESS.share * mean };
  });
}

interface Neighbour {
  score: number;
  similarity: number;
}

/** The most similar first; of equals the earlier one. */
function nearest(
  chunks: readonly Rated[],
  { documentId }: Rated,
  similarities: Float64Array,
): Neighbour[] {
  const best: Neighbour[] = [];
  for (const [at, other] of chunks.entries()) {
    const similarity = other.documentId === documentId ? 0 : (similarities[at] ?? 0);
    const place = best.findIndex((one) => one.similarity < similarity);
    if (place === -1 && best.length === LIKENESS.neighbours) continue;
    best.splice(place === -1 ? best.length : place, 0, { score: other.score, similarity });
    best.length = Math.min(best.length, LIKENESS.neighbours);
  }
  return best;
}

/** Cosine of every text with every other, a row for each. Walks by term: few terms are in many texts. */
function compareAll(texts: readonly Int32Array[]): Float64Array {
  const width = texts.length;
  const squares = new Float64Array(width);
  const cosines = new Float64Array(width ** 2);
  const { starts, holders, weights } = occurrencesIn(texts.map(countOnce));
  for (let term = 0; term + 1 < starts.length; term += 1) {
    const end = starts[term + 1] ?? 0;
    const start = starts[term] ?? 0;
    const idf = Math.log(1 + width / (end - start));
    for (let at = start; at < end; at += 1) {
      const text = holders[at] ?? 0;
      const weight = (weights[at] ?? 0) * idf;
      squares[text] = (squares[text] ?? 0) + weight ** 2;
      for (let other = at + 1; other < end; other += 1) {
        const cell = text * width + (holders[other] ?? 0);
        cosines[cell] = (cosines[cell] ?? 0) + weight * ((weights[other] ?? 0) * idf);
      }
    }
  }
  for (let row = 0; row < width; row += 1) {
    for (let column = row + 1; column < width; column += 1) {
      const sum = cosines[row * width + column] ?? 0;
      const cosine = sum === 0 ? 0 : sum / Math.sqrt((squares[row] ?? 0) * (squares[column] ?? 0));
      cosines[row * width + column] = cosine;
      cosines[column * width + row] = cosine;
    }
  }
  return cosines;
}

interface CountedTerms {
  /** Distinct, ascending. */
  ids: Int32Array;
  /** How often each occurs. */
  counts: Int32Array;
}

/** By the terms of a text: as long as a search or a process keeps these, they are counted once. */
const countedTexts = new WeakMap<Int32Array, CountedTerms>();

function countOnce(terms: Int32Array): CountedTerms {
  const known = countedTexts.get(terms);
  if (known) return known;
  const sorted = terms.toSorted();
  const ids = new Int32Array(sorted.length);
  const counts = new Int32Array(sorted.length);
  let distinct = 0;
  for (let at = 0; at < sorted.length;) {
    const id = sorted[at] ?? 0;
    const first = at;
    while (at < sorted.length && sorted[at] === id) at += 1;
    ids[distinct] = id;
    counts[distinct] = at - first;
    distinct += 1;
  }
  const counted = { ids: ids.slice(0, distinct), counts: counts.slice(0, distinct) };
  countedTexts.set(terms, counted);
  return counted;
}

interface Occurrences {
  /** Where the texts of each term start, and behind the last term where they end. */
  starts: Int32Array;
  /** The texts that have a term, ascending. */
  holders: Int32Array;
  /** `1 + ln tf` of each. */
  weights: Float64Array;
}

/** The terms of all texts, each with the texts that have it. */
function occurrencesIn(texts: readonly CountedTerms[]): Occurrences {
  const total = texts.reduce((sum, { ids }) => sum + ids.length, 0);
  const numbers = new Int32Array(total);
  const counts = new Int32Array(total);
  const terms = numberTerms(texts, numbers, counts);
  const starts = new Int32Array(terms + 1);
  for (let term = 0; term < terms; term += 1) {
    starts[term + 1] = (starts[term] ?? 0) + (counts[term] ?? 0);
  }
  const next = starts.slice(0, terms);
  const holders = new Int32Array(total);
  const weights = new Float64Array(total);
  let at = 0;
  for (const [text, { counts: own }] of texts.entries()) {
    for (let place = 0; place < own.length; place += 1) {
      const number = numbers[at] ?? 0;
      const free = next[number] ?? 0;
      holders[free] = text;
      weights[free] = 1 + Math.log(own[place] ?? 1);
      next[number] = free + 1;
      at += 1;
    }
  }
  return { starts, holders, weights };
}

/**
 * Numbers the terms as they come, and counts their texts. Ids are hashes already, so they find their slots by
 * themselves: a `Map` takes four times as long.
 * @returns how many there are
 */
function numberTerms(
  texts: readonly CountedTerms[],
  numbers: Int32Array,
  counts: Int32Array,
): number {
  const mask = 2 ** Math.ceil(Math.log2(2 * numbers.length + 2)) - 1;
  /** Numbers plus one; 0 is a free slot. */
  const slots = new Int32Array(mask + 1);
  const known = new Int32Array(numbers.length);
  let terms = 0;
  let at = 0;
  for (const { ids } of texts) {
    for (let place = 0; place < ids.length; place += 1) {
      const id = ids[place] ?? 0;
      let slot = id & mask;
      let number = (slots[slot] ?? 0) - 1;
      while (number >= 0 && known[number] !== id) {
        slot = (slot + 1) & mask;
        number = (slots[slot] ?? 0) - 1;
      }
      if (number < 0) {
        number = terms;
        slots[slot] = number + 1;
        known[number] = id;
        terms += 1;
      }
      counts[number] = (counts[number] ?? 0) + 1;
      numbers[at] = number;
      at += 1;
    }
  }
  return terms;
}
