import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Re-enqueues rows whose job was lost. A failed run is retried by the next scheduled one. */
export const reconcile = defineQueue({
  name: 'reconcile',
  payload: z.object({}),
  attempts: 1,
  everyMs: 15_000,
  timeoutMs: 5 * 60_000,
});
