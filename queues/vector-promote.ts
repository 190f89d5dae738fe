import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Moves staged vectors into segments of the HNSW index, merges these, and builds them where they are missing. */
export const vectorPromote = defineQueue({
  name: 'vector-promote',
  payload: z.object({}),
  attempts: 1,
  everyMs: 30_000,
  // Building the index over millions of vectors takes hours.
  timeoutMs: 12 * 60 * 60_000,
  isResumable: true,
});
