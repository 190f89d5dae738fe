import { z } from 'zod';
import type { WebhookEndpointId } from '#src/ids.ts';
import { defineQueue } from './queue.ts';

// The brand exists at compile time only: a UUID in this field is an endpoint's id.
const endpointId = z.uuid() as unknown as z.ZodType<WebhookEndpointId>;

/**
 * Look at an endpoint: send what is due to it. The deliveries, their attempts and their schedule are rows; jobs for the
 * same endpoint are one while they wait, so a thousand events for it are one job and a dead endpoint holds one place.
 */
export const webhookDeliver = defineQueue({
  name: 'webhook-deliver',
  payload: z.object({ endpointId }),
  key: ({ endpointId: id }) => id,
  attempts: 3,
  concurrency: 200,
  timeoutMs: 60_000,
  isResumable: true,
  // What is being sent may end: see the lane's own grace.
  abortGraceMs: 8_000,
});
