import type { Background } from '#src/platform/background.ts';
import type { Database } from '#src/platform/database.ts';
import { foldTermDeltas } from './term-counts.ts';
import { vacuumTermDeltas } from './vacuum-tables.ts';

/** Small enough that the embedded database can serve other queries between two steps. */
const ROWS_PER_STEP = 250;
/** Fewer dead rows are soon read over. */
const ROWS_PER_VACUUM = 5_000;

/**
 * Folds all term changes into the counts. Their rows live for seconds, so the table is vacuumed after some thousands:
 * folding reads it in the order of its index, and would read all dead rows again and again. Autovacuum looks once a
 * minute, and the embedded database has none.
 * @returns how many rows were folded
 */
export async function foldTerms(
  db: Database,
  inBackground: Background,
  signal: AbortSignal,
): Promise<number> {
  let sum = 0;
  for (let dead = 0; ;) {
    const folded = await inBackground(() => foldTermDeltas(db, ROWS_PER_STEP));
    sum += folded;
    dead += folded;
    if (dead >= ROWS_PER_VACUUM) {
      await inBackground(() => vacuumTermDeltas(db));
      dead = 0;
    }
    if (folded < ROWS_PER_STEP) return sum;
    signal.throwIfAborted();
  }
}
