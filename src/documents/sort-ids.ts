/** Ids have 29 bits: one bucket for each value of the highest eight. */
const BUCKET_SHIFT = 21;
const BUCKETS = 256;
/** Above this many, buckets would have too many ids each. */
const MAX_IN_BUCKETS = 2048;

/** Where the next id of each bucket goes. */
const nextOf = new Int32Array(BUCKETS);
const sorted = new Int32Array(MAX_IN_BUCKETS);

/**
 * The ids of terms, ascending. They are hashes, so buckets by their highest bits have a few each, and what is left is
 * to insert each among its neighbours: half the time of a sort that knows nothing of the numbers.
 * @returns an array that begins with them; valid until the next call
 */
export function sortIds(ids: Int32Array): Int32Array {
  if (ids.length > MAX_IN_BUCKETS) return ids.toSorted();
  countBuckets(ids);
  for (let at = 0; at < ids.length; at += 1) {
    const id = ids[at] ?? 0;
    const bucket = (id >>> BUCKET_SHIFT) & (BUCKETS - 1);
    const place = nextOf[bucket] ?? 0;
    sorted[place] = id;
    nextOf[bucket] = place + 1;
  }
  for (let at = 1; at < ids.length; at += 1) {
    const id = sorted[at] ?? 0;
    let place = at;
    for (; place > 0 && (sorted[place - 1] ?? 0) > id; place -= 1) {
      sorted[place] = sorted[place - 1] ?? 0;
    }
    sorted[place] = id;
  }
  return sorted;
}

function countBuckets(ids: Int32Array): void {
  nextOf.fill(0);
  for (let at = 0; at < ids.length; at += 1) {
    const bucket = ((ids[at] ?? 0) >>> BUCKET_SHIFT) & (BUCKETS - 1);
    nextOf[bucket] = (nextOf[bucket] ?? 0) + 1;
  }
  let next = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const count = nextOf[bucket] ?? 0;
    nextOf[bucket] = next;
    next += count;
  }
}
