import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Enqueue rows again whose job was lost. The next run is the retry of a failed one. */
export const reconcile = defineQueue({
  name: 'reconcile',
  payload: z.object({}),
  attempts: 1,
  everyMs: 15_000,
  timeoutMs: 5 * 60_000,
});
