import { termFold } from '#queues/term-fold.ts';
import { foldTermDeltas } from '#src/documents/term-counts.ts';
import { defineWorker } from './worker.ts';

/** Small enough that the embedded database can serve other queries between two steps. */
const ROWS_PER_STEP = 250;

export const worker = defineWorker(termFold, async ({ db, inBackground }, _payload, job) => {
  let rows = 0;
  for (;;) {
    const folded = await inBackground(() => foldTermDeltas(db, ROWS_PER_STEP));
    rows += folded;
    if (folded < ROWS_PER_STEP) return { rows };
    job.signal.throwIfAborted();
  }
});
