import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Delete webhook events that are past their retention, those that were sent and those of Stripe that came. */
export const webhookSweep = defineQueue({
  name: 'webhook-sweep',
  payload: z.object({}),
  attempts: 1,
  everyMs: 10 * 60_000,
  timeoutMs: 5 * 60_000,
});
