import { pairPayload } from './pair-payload.ts';
import { defineQueue } from './queue.ts';

/** Look at a pair: start its run if one is due, go on with one that was begun. Attempts are kept in the run's row. */
export const connectorSync = defineQueue({
  name: 'connector-sync',
  payload: pairPayload,
  attempts: 3,
  concurrency: 32,
  timeoutMs: 10 * 60_000,
  isResumable: true,
});
