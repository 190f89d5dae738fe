import { z } from 'zod';
import { documentFilterFields, toDocumentFilter } from '#src/api/document-filter-query.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { listOrigins } from '#src/connectors/administration/document-origins.ts';
import {
  countChangeable,
  deleteChosen,
  type DocumentChoice,
  MAX_CHANGED,
  retryChosen,
} from '#src/documents/change-documents.ts';
import { countBySource } from '#src/documents/list-documents.ts';

const DOCUMENTS = { tag: 'Ingestion', family: 'platform' } as const;
const filterBody = z.object(documentFilterFields);

const choiceBody = z.union(
  [
    z.strictObject({ document_ids: z.array(z.string().min(1)).min(1).max(MAX_CHANGED) }),
    z.strictObject({
      matching: filterBody.describe('{} is every document.'),
      limit: z
        .int()
        .min(1)
        .max(MAX_CHANGED)
        .default(MAX_CHANGED)
        .describe('Of those that match, the oldest first. Ask again until count is 0.'),
    }),
  ],
  {
    error: `needs document_ids, 1 to ${MAX_CHANGED} of them, or matching with a filter and perhaps a limit, and nothing else`,
  },
);

const changedReply = z.object({
  count: z.int().describe('Those that it applied to, and that the caller may change.'),
});

/** Lists of documents by what they have in common, and changes to many of them. */
export const documentListRoutes: Route[] = [
  defineRoute({
    ...DOCUMENTS,
    scope: 'read-or-ingest',
    method: 'GET',
    path: '/documents/filters',
    summary: 'The sources, connectors and document sets that documents can be narrowed by',
    description: 'Only those of documents and connectors that the caller may see.',
    reply: z.object({
      sources: z.array(z.object({ source: z.string(), documents: z.int() })),
      connectors: z.array(z.object({ cc_pair_id: z.int(), name: z.string(), source: z.string() })),
      document_sets: z.array(z.string()),
    }),
    async handle({ services: { db }, principal }) {
      const { pairs, documentSets } = await listOrigins(db, principal);
      return {
        sources: await countBySource(db, principal),
        connectors: pairs.map(({ id, name, source }) => ({ cc_pair_id: id, name, source })),
        document_sets: documentSets,
      };
    },
  }),
  defineRoute({
    ...DOCUMENTS,
    scope: 'ingest',
    method: 'GET',
    path: '/documents/count',
    summary: 'How many documents match, and how many of them can be tried again or deleted',
    query: filterBody,
    reply: z.object({
      documents: z.int(),
      retryable: z.int().describe('Failed ones that the caller may change.'),
      deletable: z.int(),
    }),
    handle: ({ services, principal, query, framing }) =>
      countChangeable(services.db, principal, toDocumentFilter(query, framing)),
  }),
  defineRoute({
    ...DOCUMENTS,
    scope: 'ingest',
    method: 'POST',
    path: '/documents/retry',
    summary: 'Index failed documents anew: these, or those that match',
    description: 'What has not failed is left alone.',
    body: choiceBody,
    reply: changedReply,
    async handle({ services, principal, body, framing, requestId }) {
      const ids = await retryChosen(services.db, principal, toChoice(body, framing));
      await services.documentAcceptor.enqueue(ids, requestId);
      return { count: ids.length };
    },
  }),
  defineRoute({
    ...DOCUMENTS,
    scope: 'ingest',
    method: 'POST',
    path: '/documents/delete',
    summary: 'Delete documents: these, or those that match; they are gone from search at once',
    body: choiceBody,
    reply: changedReply,
    async handle({ services, principal, body, framing, requestId }) {
      const ids = await deleteChosen(services.db, principal, toChoice(body, framing));
      await services.documentAcceptor.enqueue(ids, requestId);
      return { count: ids.length };
    },
  }),
];

function toChoice(body: z.output<typeof choiceBody>, framing: 'sse' | 'lines'): DocumentChoice {
  if ('document_ids' in body) return { externalIds: body.document_ids };
  return { filter: toDocumentFilter(body.matching, framing), limit: body.limit };
}
