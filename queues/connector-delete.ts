import { pairPayload } from './pair-payload.ts';
import { defineQueue } from './queue.ts';

/** Deletes a pair marked for deletion: first the documents that only it owns, then its rows. */
export const connectorDelete = defineQueue({
  name: 'connector-delete',
  payload: pairPayload,
  attempts: 5,
  concurrency: 2,
  timeoutMs: 60 * 60_000,
  isResumable: true,
});
