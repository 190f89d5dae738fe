import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Deletes stored files without an owner, and bytes that no row refers to. */
export const fileSweep = defineQueue({
  name: 'file-sweep',
  payload: z.object({}),
  attempts: 1,
  everyMs: 6 * 60 * 60_000,
  timeoutMs: 30 * 60_000,
});
