/** Shares one resource among keys by cost, so that none waits for the backlog of another. */
export interface FairOrder<Key> {
  /**
   * Those whose turn it is, the first first: whoever has had the least, and whoever has had less than one slice more.
   * Keys that have had the same stay in the order in which they are given.
   */
  next(keys: readonly Key[]): Key[];
  /** Writes down what a key was given. */
  charge(key: Key, cost: number): void;
}

/** What is forgotten of a key makes it a newcomer again. */
const MAX_KEYS = 10_000;

/**
 * Start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996): each key has a tag that grows by the cost of what it
 * was given, and the lowest tag is next. Virtual time is the highest tag at which a turn began. Whoever comes, or comes
 * back, starts one slice before it: ahead of those who are being served all the time, by no more than a slice.
 */
export function createFairOrder<Key>(slice: number): FairOrder<Key> {
  const tags = new Map<Key, number>();
  let virtualTime = 0;
  const tagOf = (key: Key): number => Math.max(tags.get(key) ?? -slice, virtualTime - slice);
  return {
    next(keys) {
      const tagged = keys.map((key) => ({ key, tag: tagOf(key) })).sort((a, b) => a.tag - b.tag);
      const least = tagged[0]?.tag ?? 0;
      return tagged.filter(({ tag }) => tag < least + slice).map(({ key }) => key);
    },
    charge(key, cost) {
      const start = tagOf(key);
      virtualTime = Math.max(virtualTime, start);
      tags.set(key, start + cost);
      if (tags.size <= MAX_KEYS) return;
      for (const [known, tag] of tags) if (tag <= virtualTime - slice) tags.delete(known);
      if (tags.size > MAX_KEYS) tags.clear();
    },
  };
}
