/** Shorter words are one letter away from too many others: "shoes" is not a misspelled "shows". */
const MIN_LENGTH = { swapped: 4, missing: 5, wrong: 7, two: 9 };

/** Whether `typed` is `word` with a typing error: a letter too many, too few, wrong, or two of them swapped. */
export function isTypo(typed: string, word: string): boolean {
  const { length } = typed;
  if (length < MIN_LENGTH.swapped || /\d/.test(typed) || typed[0] !== word[0]) return false;
  const difference = Math.abs(length - word.length);
  if (difference > 2) return false;
  const slips = distance(typed, word, 2);
  if (slips === 2) return length >= MIN_LENGTH.two;
  if (slips !== 1) return false;
  if (difference === 1) return length >= MIN_LENGTH.missing;
  return length >= (isSwapped(typed, word) ? MIN_LENGTH.swapped : MIN_LENGTH.wrong);
}

function isSwapped(one: string, other: string): boolean {
  const sorted = (word: string): string => Array.from(word).toSorted().join('');
  return sorted(one) === sorted(other);
}

/** Damerau–Levenshtein distance with adjacent swaps (optimal string alignment); any larger number above `limit`. */
function distance(one: string, other: string, limit: number): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let cost = Math.min(
        (above[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwap) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      line.push(cost);
    }
    if (Math.min(...line) > limit) return limit + 1;
    before = above;
    above = line;
  }
  return above[other.length] ?? 0;
}
