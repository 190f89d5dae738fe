import { webhookSweep } from '#queues/webhook-sweep.ts';
import { sweepStripeEvents } from '#src/billing/sweep-stripe-events.ts';
import { sweepEvents } from '#src/webhooks/sweep-events.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(webhookSweep, async (services, _payload, job) => ({
  events: await sweepEvents(services, job.signal),
  stripeEvents: await sweepStripeEvents(services, job.signal),
}));
