import { fileSweep } from '#queues/file-sweep.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(fileSweep, (services, _payload, job) =>
  services.sweepFiles(job.signal),
);
