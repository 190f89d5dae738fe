import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Deletes leads and messages whose retention has expired. */
export const outreachSweep = defineQueue({
  name: 'outreach-sweep',
  payload: z.object({}),
  attempts: 1,
  everyMs: 10 * 60_000,
  timeoutMs: 5 * 60_000,
});
