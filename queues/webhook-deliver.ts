import { z } from 'zod';
import type { WebhookEndpointId } from '#src/ids.ts';
import { defineQueue } from './queue.ts';

// The brand exists at compile time only: a UUID in this field is an endpoint's id.
const endpointId = z.uuid() as unknown as z.ZodType<WebhookEndpointId>;

/**
 * Sends what is due to an endpoint. Deliveries, their attempts and their schedule are rows; waiting jobs for one
 * endpoint are merged, so a thousand events for it are one job, and a dead endpoint occupies one place.
 */
export const webhookDeliver = defineQueue({
  name: 'webhook-deliver',
  payload: z.object({ endpointId }),
  key: ({ endpointId: id }) => id,
  attempts: 3,
  concurrency: 200,
  timeoutMs: 60_000,
  isResumable: true,
  // A request in progress may finish: see the lane's own grace period.
  abortGraceMs: 8_000,
});
