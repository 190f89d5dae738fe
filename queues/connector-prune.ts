import { pairPayload } from './pair-payload.ts';
import { defineQueue } from './queue.ts';

/** Compare a pair with its source, if that is due, and remove what is gone there. */
export const connectorPrune = defineQueue({
  name: 'connector-prune',
  payload: pairPayload,
  attempts: 3,
  concurrency: 4,
  // A large source that may be asked once a second is listed for hours.
  timeoutMs: 12 * 60 * 60_000,
  isResumable: true,
});
