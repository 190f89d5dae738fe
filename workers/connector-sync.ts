import { connectorSync } from '#queues/connector-sync.ts';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(connectorSync, async (services, { ccPairId }, job) => ({
  ...(await syncConnector(services, ccPairId, job.signal)),
}));
