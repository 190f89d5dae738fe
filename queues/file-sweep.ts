import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Deletes stored files that belong to nobody, and bytes that no row names. */
export const fileSweep = defineQueue({
  name: 'file-sweep',
  payload: z.object({}),
  attempts: 1,
  everyMs: 6 * 60 * 60_000,
  timeoutMs: 30 * 60_000,
});
