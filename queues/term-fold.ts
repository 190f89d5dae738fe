import { z } from 'zod';
import { defineQueue } from './queue.ts';

/**
 * Folds the term counts and merges the postings that index writes appended, trains the latent space of workspaces that
 * grew, and gathers the words of new chunks for the speller.
 */
export const termFold = defineQueue({
  name: 'term-fold',
  payload: z.object({}),
  attempts: 1,
  everyMs: 10_000,
  timeoutMs: 5 * 60_000,
  // Each step commits, and the next run goes on.
  isResumable: true,
});
