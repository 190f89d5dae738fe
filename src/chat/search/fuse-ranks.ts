/** What one way of asking has found, best first. */
export interface RankedList<Item> {
  weight: number;
  items: readonly Item[];
}

export interface FusedItem<Item> {
  /** 1 for what every list has first. */
  score: number;
  /** The items of this key, each list's at most, the one that counts most first. */
  items: Item[];
}

/** How slowly ranks lose weight; facts of common practice put it between 50 and 60. */
const K = 50;

/**
 * Weighted reciprocal rank fusion (Cormack, Clarke and Büttcher 2009, doi 10.1145/1571941.1572114): an item's score is
 * the sum of `weight / (K + rank)` over the lists that have it. Best first; of equals, the one that was met first.
 */
export function fuseRanks<Item>(
  lists: readonly RankedList<Item>[],
  keyOf: (item: Item) => string,
): FusedItem<Item>[] {
  const found = new Map<string, { sum: number; shares: { share: number; item: Item }[] }>();
  for (const { weight, items } of lists) {
    const seen = new Set<string>();
    for (const item of items) {
      const key = keyOf(item);
      if (seen.has(key)) continue;
      seen.add(key);
      const share = weight / (K + seen.size);
      const entry = found.get(key) ?? { sum: 0, shares: [] };
      entry.sum += share;
      entry.shares.push({ share, item });
      found.set(key, entry);
    }
  }
  const best = lists.reduce((sum, { weight }) => sum + weight / (K + 1), 0);
  return [...found.values()]
    .toSorted((one, other) => other.sum - one.sum)
    .map(({ sum, shares }) => ({
      score: sum / best,
      items: shares.toSorted((one, other) => other.share - one.share).map(({ item }) => item),
    }));
}
