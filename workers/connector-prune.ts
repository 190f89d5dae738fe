import { connectorPrune } from '#queues/connector-prune.ts';
import { pruneConnector } from '#src/connectors/runs/prune-connector.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(connectorPrune, async (services, { ccPairId }, job) => ({
  ...(await pruneConnector(services, ccPairId, job.signal)),
}));
