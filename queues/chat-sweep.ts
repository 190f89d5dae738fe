import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Ends answers whose process died, and deletes the lines of finished ones. */
export const chatSweep = defineQueue({
  name: 'chat-sweep',
  payload: z.object({}),
  attempts: 1,
  everyMs: 60_000,
  timeoutMs: 60_000,
});
