/** Share of a score that comes from the chunks that resemble it most. */
const NEIGHBOURS_SHARE = 0.3;
const NEIGHBOURS = 5;

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
    const neighbours = chunks
      .map(({ documentId, score }, at) => ({
        score,
        similarity:
          documentId === chunk.documentId ? 0 : (similarities[index * chunks.length + at] ?? 0),
      }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, NEIGHBOURS);
    const total = neighbours.reduce((sum, { similarity }) => sum + similarity, 0);
    const theirs = neighbours.reduce((sum, one) => sum + one.similarity * one.score, 0);
    // Nothing resembles it: it is judged by itself.
    const mean = total === 0 ? chunk.score : theirs / total;
    return { ...chunk, score: (1 - NEIGHBOURS_SHARE) * chunk.score + NEIGHBOURS_SHARE * mean };
  });
}

interface Occurrence {
  text: number;
  weight: number;
}

/** Cosine of every text with every other, a row for each. Walks by term: few terms are in many texts. */
function compareAll(texts: readonly (readonly string[])[]): Float64Array {
  const occurrences = Map.groupBy(texts.flatMap(countTerms), ({ term }) => term);
  const squares = new Float64Array(texts.length);
  const cosines = new Float64Array(texts.length ** 2);
  for (const inTexts of occurrences.values()) {
    const idf = Math.log(1 + texts.length / inTexts.length);
    const weighted = inTexts.map(({ text, tf }) => ({ text, weight: (1 + Math.log(tf)) * idf }));
    for (const { text, weight } of weighted) squares[text] = (squares[text] ?? 0) + weight ** 2;
    addProducts(cosines, texts.length, weighted);
  }
  return cosines.map((sum, at) => {
    const row = squares[Math.floor(at / texts.length)] ?? 0;
    const column = squares[at % texts.length] ?? 0;
    return sum === 0 ? 0 : sum / Math.sqrt(row * column);
  });
}

function countTerms(terms: readonly string[], text: number) {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return Array.from(counts, ([term, tf]) => ({ term, text, tf }));
}

/** The texts come in ascending order; each pair counts in both rows. */
function addProducts(sums: Float64Array, width: number, occurrences: readonly Occurrence[]): void {
  for (const [at, a] of occurrences.entries()) {
    for (const b of occurrences.slice(at + 1)) {
      const product = a.weight * b.weight;
      sums[a.text * width + b.text] = (sums[a.text * width + b.text] ?? 0) + product;
      sums[b.text * width + a.text] = (sums[b.text * width + a.text] ?? 0) + product;
    }
  }
}
