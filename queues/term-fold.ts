import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Folds the term counts that index writes appended into one row per term. */
export const termFold = defineQueue({
  name: 'term-fold',
  payload: z.object({}),
  attempts: 1,
  everyMs: 10_000,
  timeoutMs: 5 * 60_000,
});
