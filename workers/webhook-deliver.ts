import { webhookDeliver } from '#queues/webhook-deliver.ts';
import { deliverToEndpoint } from '#src/webhooks/deliver-to-endpoint.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(webhookDeliver, async (services, { endpointId }, job) => ({
  ...(await deliverToEndpoint(services, endpointId, job.signal)),
}));
