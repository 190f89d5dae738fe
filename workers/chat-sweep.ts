import { chatSweep } from '#queues/chat-sweep.ts';
import { sweepRuns } from '#src/chat/runs/sweep-runs.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(chatSweep, async (services, _payload, job) => ({
  ...(await sweepRuns(services, job.signal)),
}));
