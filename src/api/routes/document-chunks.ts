import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { readDocumentChunks } from '#src/documents/document-chunks.ts';
import { retryDocument } from '#src/documents/retry-document.ts';
import { findDocument } from '#src/documents/store.ts';
import { Problem } from '#src/platform/errors.ts';

const INGESTION = { tag: 'Ingestion', family: 'platform', scope: 'ingest' } as const;
const params = z.object({ document_id: z.string().min(1) });
const MAX_CHUNKS = 200;

/** What is known of one document beside its status. */
export const documentChunkRoutes: Route[] = [
  defineRoute({
    ...INGESTION,
    scope: 'read-or-ingest',
    method: 'GET',
    path: '/service-api/ingestion/{document_id}/chunks',
    summary: 'The chunks of a document, as they are indexed',
    params,
    query: z.object({
      from: z.coerce.number().int().min(0).max(10_000_000).default(0),
      limit: z.coerce.number().int().min(1).max(MAX_CHUNKS).default(50),
    }),
    reply: z.object({
      chunks: z.array(
        z.object({
          ordinal: z.int().nonnegative().describe('Its place, which hits call chunk_ind.'),
          section_index: z.int().nonnegative(),
          text: z.string(),
          headings: z.array(z.string()),
          link: z.string().nullable(),
          token_count: z.int().nonnegative(),
        }),
      ),
      next_from: z.int().nullable(),
    }),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, params: { document_id }, query: { from, limit } }) {
      const found = await findDocument(services.db, principal, document_id);
      if (found === null) throw unknownDocument(document_id);
      const wanted = { externalId: document_id, from, limit: limit + 1 };
      const chunks = await readDocumentChunks(services.db, principal, wanted);
      return { chunks: chunks.slice(0, limit), next_from: chunks[limit]?.ordinal ?? null };
    },
  }),
  defineRoute({
    ...INGESTION,
    method: 'POST',
    path: '/service-api/ingestion/{document_id}/retry',
    summary: 'Index a failed document anew',
    params,
    status: 202,
    reply: z.object({ document_id: z.string(), status: z.literal('accepted') }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle({ services, principal, params: { document_id }, requestId }) {
      const id = await retryDocument(services.db, principal, document_id);
      if (id === null) throw unknownDocument(document_id);
      await services.documentAcceptor.enqueue([id], requestId);
      return { document_id, status: 'accepted' as const };
    },
  }),
];

function unknownDocument(documentId: string): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no document with the id ${JSON.stringify(documentId.slice(0, 200))}. GET /service-api/ingestion lists the documents.`,
  );
}
