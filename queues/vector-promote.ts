import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Move staged vectors into the HNSW index. */
export const vectorPromote = defineQueue({
  name: 'vector-promote',
  payload: z.object({}),
  attempts: 1,
  everyMs: 30_000,
  timeoutMs: 10 * 60_000,
});
