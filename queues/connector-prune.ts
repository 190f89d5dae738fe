import { pairPayload } from './pair-payload.ts';
import { defineQueue } from './queue.ts';

/** Compares a pair with its source, if that is due, and removes documents that are gone from the source. */
export const connectorPrune = defineQueue({
  name: 'connector-prune',
  payload: pairPayload,
  attempts: 3,
  concurrency: 4,
  // Listing a large source at one request per second takes hours.
  timeoutMs: 12 * 60 * 60_000,
  isResumable: true,
});
