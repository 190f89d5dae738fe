import { documentIndex } from '#queues/document-index.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(documentIndex, async (services, { documentIds }, job) => {
  await indexDocuments(services, documentIds, job.signal);
});
