import { webhookSweep } from '#queues/webhook-sweep.ts';
import { sweepEvents } from '#src/webhooks/sweep-events.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(webhookSweep, async (services, _payload, job) => ({
  events: await sweepEvents(services, job.signal),
}));
