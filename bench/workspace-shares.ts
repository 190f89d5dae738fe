/** Shares of the workspaces, which sum to 1: the first has `largest`, the others divide the rest by Zipf's law. */
export function workspaceShares(count: number, largest: number): number[] {
  const weights = Array.from({ length: count - 1 }, (_, index) => 1 / (index + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return [largest, ...weights.map((weight) => ((1 - largest) * weight) / sum)];
}

/** Index of the workspace that is furthest behind its share, when `sent` were sent to each so far. */
export function furthestBehind(shares: readonly number[], sent: readonly number[]): number {
  const total = sent.reduce((sum, documents) => sum + documents, 0);
  let found = 0;
  let most = -Infinity;
  for (const [index, share] of shares.entries()) {
    const behind = share * (total + 1) - (sent[index] ?? 0);
    if (behind <= most) continue;
    most = behind;
    found = index;
  }
  return found;
}
