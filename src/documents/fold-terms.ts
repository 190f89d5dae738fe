import type { DocumentServices } from './document-services.ts';
import { type BucketKey, foldTermDeltas } from './term-counts.ts';
import { vacuumTermDeltas } from './vacuum-tables.ts';

/** In WASM, few enough that other queries can be served between two steps. More rows of a bucket at once are less work. */
const ROWS_PER_STEP = { embedded: 250, 'one-database': 2_000, 'scale-out': 2_000 };
/** Fewer dead rows are soon read over. */
const ROWS_PER_VACUUM = 5_000;

type FoldServices = Pick<DocumentServices, 'db' | 'config' | 'inBackground'>;

/**
 * Folds the term changes into the counts, in one pass over the buckets: what is written behind it waits for the next, so
 * the pass ends while documents arrive, and the row of a bucket is written once for the changes of some seconds. Changes
 * live for seconds, so their table is vacuumed after some thousands: autovacuum looks once a minute, and the embedded
 * database has none.
 * @returns how many rows were folded
 */
export async function foldTerms(
  { db, config, inBackground }: FoldServices,
  signal: AbortSignal,
): Promise<number> {
  const limit = ROWS_PER_STEP[config.size];
  let sum = 0;
  let from: BucketKey | undefined;
  for (;;) {
    const { folded, last } = await inBackground(() => foldTermDeltas(db, limit, from));
    sum += folded;
    from = last;
    if (folded < limit) break;
    signal.throwIfAborted();
  }
  if (sum >= ROWS_PER_VACUUM) await inBackground(() => vacuumTermDeltas(db));
  return sum;
}
