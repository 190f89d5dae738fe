/** What was lost of the words that were wanted, and what came that nothing explains. */
export interface WordComparison {
  wanted: number;
  got: number;
  missing: string[];
  surplus: string[];
}

/** Fences are Markdown syntax, not words of the page. */
const FENCE = /^[ >]*(?:```|~~~).*$/gm;

/**
 * Compares the words of a text with those that are wanted, each as often as it occurs, in any order.
 * @param neutral words that may be there or not
 */
export function compareWords(
  text: string,
  { wanted, neutral }: { wanted: readonly string[]; neutral: readonly string[] },
): WordComparison {
  const got = wordsOf(text.replace(FENCE, ''));
  const left = countsOf(got);
  const missing = wanted.filter((word) => !take(left, word));
  const spare = countsOf(neutral);
  const surplus = [...left].flatMap(([word, count]) => {
    const unexplained = Math.max(0, count - (spare.get(word) ?? 0));
    return Array.from({ length: unexplained }, () => word);
  });
  return { wanted: wanted.length, got: got.length, missing, surplus };
}

export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll('\u00AD', '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function take(counts: Map<string, number>, word: string): boolean {
  const count = counts.get(word) ?? 0;
  if (count > 0) counts.set(word, count - 1);
  return count > 0;
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
