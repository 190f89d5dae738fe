import { userFile } from '#queues/user-file.ts';
import { processUserFile } from '#src/chat/user-files/process-user-file.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(userFile, async (services, { userFileId }, job) => ({
  ...(await processUserFile(services, userFileId, job.signal)),
}));
