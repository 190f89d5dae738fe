/** The results of one query or method, best first. */
export interface RankedList<Item> {
  weight: number;
  items: readonly Item[];
}

export interface FusedItem<Item> {
  /** 1 if every list has it first. */
  score: number;
  /** The items with this key, at most one per list, the highest-weighted first. */
  items: Item[];
}

/** How slowly ranks lose weight; common practice is 50 to 60. */
const K = 50;

/**
 * Weighted reciprocal rank fusion (Cormack, Clarke and Büttcher 2009, doi 10.1145/1571941.1572114): an item's score is
 * the sum of `weight / (K + rank)` over the lists that contain it. Best first; on a tie, in order of first occurrence.
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
