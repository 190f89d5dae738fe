import { pairPayload } from './pair-payload.ts';
import { defineQueue } from './queue.ts';

/** Remove a pair that is marked for it: the documents that it alone owns, then its rows. */
export const connectorDelete = defineQueue({
  name: 'connector-delete',
  payload: pairPayload,
  attempts: 5,
  concurrency: 2,
  timeoutMs: 60 * 60_000,
  isResumable: true,
});
