import { pairPayload } from './pair-payload.ts';
import { defineQueue } from './queue.ts';

/** Starts the pair's run if one is due, or resumes one in progress. Attempts are counted in the run's row. */
export const connectorSync = defineQueue({
  name: 'connector-sync',
  payload: pairPayload,
  attempts: 3,
  concurrency: 32,
  timeoutMs: 10 * 60_000,
  isResumable: true,
});
