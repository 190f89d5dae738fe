import { connectorDelete } from '#queues/connector-delete.ts';
import { deletePair } from '#src/connectors/administration/delete-pair.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(connectorDelete, async (services, { ccPairId }, job) => {
  await deletePair(services, ccPairId, job.signal);
});
