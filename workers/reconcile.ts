import { reconcile as reconcileQueue } from '#queues/reconcile.ts';
import { reconcile } from '#src/reconcile.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(reconcileQueue, async (services, _payload, job) => ({
  documents: await reconcile(services, job.signal),
}));
