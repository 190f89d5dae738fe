import { z } from 'zod';
import type { DocumentId } from '#src/ids.ts';
import { defineQueue } from './queue.ts';

/** One flush of accepted documents: few jobs, many rows. */
export const MAX_DOCUMENTS_PER_JOB = 256;

// The brand exists at compile time only: a positive integer in this field is a document id.
const documentId = z.int().positive() as unknown as z.ZodType<DocumentId>;

/** Chunks, embeds and stores accepted documents. Attempts per document are counted in its row. */
export const documentIndex = defineQueue({
  name: 'document-index',
  payload: z.object({ documentIds: z.array(documentId).min(1).max(MAX_DOCUMENTS_PER_JOB) }),
  attempts: 5,
  concurrency: 3,
  timeoutMs: 10 * 60_000,
});
