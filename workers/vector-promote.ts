import { vectorPromote } from '#queues/vector-promote.ts';
import { promoteVectors } from '#src/documents/promote-vectors.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(vectorPromote, async (services, _payload, job) => ({
  vectors: await promoteVectors(services, job.signal),
}));
