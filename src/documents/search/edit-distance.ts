/**
 * Edits that turn `a` into `b`: a letter put in, left out, replaced, or swapped with its neighbour (the optimal string
 * alignment form of Damerau's distance). Words longer than `limit` edits apart give `limit + 1`.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let edits = Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) edits = Math.min(edits, (before[j - 2] ?? 0) + 1);
      row.push(edits);
      least = Math.min(least, edits);
    }
    // A swap reaches back over one row, so one row above the limit is not enough to stop.
    if (least > limit + 1) return limit + 1;
    before = previous;
    previous = row;
  }
  return Math.min(previous[b.length] ?? limit + 1, limit + 1);
}
