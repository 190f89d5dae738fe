import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** Deletes webhook events past their retention: those sent, and those received from Stripe. */
export const webhookSweep = defineQueue({
  name: 'webhook-sweep',
  payload: z.object({}),
  attempts: 1,
  everyMs: 10 * 60_000,
  timeoutMs: 5 * 60_000,
});
