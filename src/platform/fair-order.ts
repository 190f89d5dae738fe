/** Shares one resource among keys by cost, so that no key waits for the backlog of another. */
export interface FairOrder<Key> {
  /**
   * The keys whose turn it is, in order: the one that has received least, and every key within one slice of it. Keys
   * that have received the same keep the given order.
   */
  next(keys: readonly Key[]): Key[];
  /** Records the cost of what a key received. */
  charge(key: Key, cost: number): void;
}

/** Beyond this, keys are forgotten, and count as new when they return. */
const MAX_KEYS = 10_000;

/**
 * Start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996): each key has a tag that grows with the cost of what it
 * receives, and the lowest tag is next. Virtual time is the highest tag at which a turn began. A new or returning key
 * starts one slice before it, so it precedes keys that are served continuously, by at most one slice.
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
