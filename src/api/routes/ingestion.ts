import { z } from 'zod';
import { acceptBatch, acceptLines, batchReplySchema } from '#src/api/ingest-batch.ts';
import { documentFilterFields, toDocumentFilter } from '#src/api/document-filter-query.ts';
import { acceptItem, readItems } from '#src/api/ingest-item.ts';
import { ingestionStatsBody, ingestionStatsSchema } from '#src/api/ingestion-stats.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import { ingestionItemSchema } from '#src/documents/incoming-document.ts';
import { listDocuments } from '#src/documents/list-documents.ts';
import {
  acceptedSchema,
  documentStatusSchema,
  presentDocument,
} from '#src/documents/present-document.ts';
import { MAX_BATCH, MAX_VALUES } from '#src/documents/read-documents.ts';
import { findDocument, markDeleting } from '#src/documents/store.ts';
import { Problem } from '#src/platform/errors.ts';

const INGESTION = { tag: 'Ingestion', family: 'platform', scope: 'ingest' } as const;
/** Read here, in a thread when it is large. */
const DOCUMENTS = { rawBody: true, bodyLimits: { bytes: null, values: MAX_VALUES } } as const;
const NDJSON = 'application/x-ndjson';

const documentParams = z.object({ document_id: z.string().min(1) });
const cursor = z
  .string()
  .transform((text) => /^before:(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString())?.[1])
  .refine((id) => id !== undefined, 'must be the next_cursor of an earlier page')
  .transform(Number);

const batchBody = z.object({
  documents: z
    .array(ingestionItemSchema)
    .min(1)
    .max(MAX_BATCH)
    .describe('Checked one by one: a bad item is answered in its place and fails alone.'),
});

export const ingestionRoutes: Route[] = [
  defineRoute({
    ...INGESTION,
    method: 'POST',
    path: '/service-api/ingestion',
    summary: 'Accept a document for indexing',
    description:
      'Answers once the document is stored; indexing follows by itself. An id that is known is updated. Without an id, one is derived from semantic_identifier.',
    ...DOCUMENTS,
    body: ingestionItemSchema,
    reply: acceptedSchema,
    errors: ['PAYLOAD_TOO_LARGE', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, principal, incoming, requestId, signal }) {
      const caller = { principal, requestId, signal };
      const bytes = await incoming.bytes(services.config.MAX_BODY_BYTES, 'MAX_BODY_BYTES');
      const [item] = await readItems(services, caller, bytes, 'item');
      return acceptItem(services, caller, item);
    },
  }),
  defineRoute({
    ...INGESTION,
    method: 'POST',
    path: '/service-api/ingestion/batch',
    summary: `Accept up to ${MAX_BATCH} documents, or a stream of any length`,
    description: `As JSON, {documents: […]}. As ${NDJSON}, one {document, cc_pair_id} a line and of any number: each line is answered by a line, in order, as soon as it is stored.`,
    accepts: ['application/json', NDJSON],
    produces: ['application/json', NDJSON],
    ...DOCUMENTS,
    body: batchBody,
    reply: batchReplySchema,
    errors: ['PAYLOAD_TOO_LARGE', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, principal, incoming, requestId, signal }) {
      const caller = { principal, requestId, signal };
      if (incoming.mediaType === NDJSON) {
        return streamReply(NDJSON, acceptLines(services, caller, incoming));
      }
      const body = await incoming.bytes(services.config.MAX_BODY_BYTES, 'MAX_BODY_BYTES');
      return acceptBatch(services, caller, body);
    },
  }),
  defineRoute({
    ...INGESTION,
    method: 'GET',
    path: '/service-api/ingestion',
    summary: 'List documents, newest first',
    query: z.object({
      ...documentFilterFields,
      limit: z.coerce.number().int().min(1).max(1_000).default(100),
      cursor: cursor.optional(),
    }),
    reply: z.object({
      documents: z.array(documentStatusSchema),
      next_cursor: z.string().nullable(),
    }),
    async handle({ services, principal, query, framing }) {
      const records = await listDocuments(services.db, {
        reader: principal,
        filter: toDocumentFilter(query, framing),
        before: query.cursor ?? null,
        limit: query.limit,
      });
      const last = records.length === query.limit ? records.at(-1) : undefined;
      return {
        documents: records.map(presentDocument),
        next_cursor: last ? Buffer.from(`before:${last.id}`).toString('base64url') : null,
      };
    },
  }),
  defineRoute({
    ...INGESTION,
    method: 'GET',
    path: '/service-api/ingestion/stats',
    summary: 'Backlog, rate and estimated time to drain',
    reply: ingestionStatsSchema,
    handle: ({ services, principal }) => ingestionStatsBody(services, principal),
  }),
  defineRoute({
    ...INGESTION,
    scope: 'read-or-ingest',
    method: 'GET',
    path: '/service-api/ingestion/{document_id}',
    summary: 'A document: status, revision, chunks, error, timings',
    params: documentParams,
    reply: documentStatusSchema,
    errors: ['NOT_FOUND'],
    async handle({ services, principal, params }) {
      const found = await findDocument(services.db, principal, params.document_id);
      if (!found) throw unknownDocument(params.document_id);
      return presentDocument(found);
    },
  }),
  defineRoute({
    ...INGESTION,
    method: 'DELETE',
    path: '/service-api/ingestion/{document_id}',
    summary: 'Delete a document; it is gone from search at once',
    params: documentParams,
    reply: z.object({ document_id: z.string(), status: z.literal('deleting') }),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, params, requestId }) {
      const { document_id } = params;
      const id = await markDeleting(services.db, principal, document_id);
      if (id === null) throw unknownDocument(document_id);
      await services.documentAcceptor.enqueue([id], requestId);
      return { document_id, status: 'deleting' as const };
    },
  }),
];

function unknownDocument(documentId: string): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no document with the id ${JSON.stringify(documentId.slice(0, 200))}. GET /service-api/ingestion lists the documents.`,
  );
}
