import { LIKENESS } from './weights.ts';

interface Rated {
  documentId: unknown;
  score: number;
  terms: readonly string[];
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

/** The texts that have a term, ascending, and how often each has it. */
interface Occurrences {
  texts: number[];
  counts: number[];
}

/** Cosine of every text with every other, a row for each. Walks by term: few terms are in many texts. */
function compareAll(texts: readonly (readonly string[])[]): Float64Array {
  const width = texts.length;
  const squares = new Float64Array(width);
  const cosines = new Float64Array(width ** 2);
  for (const { texts: holding, counts } of occurrencesIn(texts).values()) {
    const idf = Math.log(1 + width / holding.length);
    const weights = counts.map((tf) => (1 + Math.log(tf)) * idf);
    for (const [at, text] of holding.entries()) {
      const weight = weights[at] ?? 0;
      squares[text] = (squares[text] ?? 0) + weight ** 2;
      for (let other = at + 1; other < holding.length; other += 1) {
        const cell = text * width + (holding[other] ?? 0);
        cosines[cell] = (cosines[cell] ?? 0) + weight * (weights[other] ?? 0);
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

function occurrencesIn(texts: readonly (readonly string[])[]): Map<string, Occurrences> {
  const occurrences = new Map<string, Occurrences>();
  for (const [text, terms] of texts.entries()) {
    for (const term of terms) {
      const known = occurrences.get(term);
      if (known === undefined) {
        occurrences.set(term, { texts: [text], counts: [1] });
        continue;
      }
      const last = known.texts.length - 1;
      if (known.texts[last] === text) {
        known.counts[last] = (known.counts[last] ?? 0) + 1;
      } else {
        known.texts.push(text);
        known.counts.push(1);
      }
    }
  }
  return occurrences;
}
