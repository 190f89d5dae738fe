import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import {
  type Curation,
  curateDocument,
  listCurated,
  MAX_BOOST,
} from '#src/documents/curate-documents.ts';
import type { Reader } from '#src/documents/document-access.ts';
import { documentStatusSchema, presentDocument } from '#src/documents/present-document.ts';
import { findDocument } from '#src/documents/store.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';

const ADMIN = { tag: 'Search', family: 'platform', scope: 'admin' } as const;

const boost = z
  .int()
  .min(-MAX_BOOST)
  .max(MAX_BOOST)
  .describe('0 is neutral. Scores are multiplied by 0.5 to 2; beyond 20 it makes no difference.');
const hidden = z.boolean().describe('True: not in searches, answers and citations. Still listed.');
const documentId = z.string().min(1);

/** `BoostDoc` of existing clients. */
const boostedSchema = z
  .object({
    document_id: z.string(),
    semantic_id: z.string(),
    link: z.string(),
    boost: z.int(),
    hidden: z.boolean(),
  })
  .meta({ id: 'BoostedDocument' });

/** What people set of documents: `boost` and `hidden`. */
export const documentCurationRoutes: Route[] = [
  defineRoute({
    ...ADMIN,
    method: 'PATCH',
    path: '/service-api/ingestion/{document_id}',
    summary: 'Boost a document, or hide it from searches',
    description:
      'Counts from the next search on. Edits of the document keep it; a document that is deleted and sent again begins anew.',
    params: z.object({ document_id: documentId }),
    body: z
      .object({ boost: boost.optional(), hidden: hidden.optional() })
      .refine((body) => body.boost !== undefined || body.hidden !== undefined, {
        message: 'needs boost or hidden',
      }),
    reply: documentStatusSchema,
    errors: ['NOT_FOUND'],
    async handle({ services, principal, params, body }) {
      await curate(services.db, principal, params.document_id, body);
      const found = await findDocument(services.db, principal, params.document_id);
      if (!found) throw unknownDocument(params.document_id);
      return presentDocument(found);
    },
  }),
  defineRoute({
    ...ADMIN,
    method: 'GET',
    path: '/manage/admin/doc-boosts',
    summary: 'Documents that are boosted or hidden',
    query: z.object({
      ascending: z.stringbool().default(false).describe('True: the lowest boosts first.'),
      limit: z.coerce.number().int().min(1).max(1_000).default(100),
    }),
    reply: z.array(boostedSchema),
    async handle({ services, principal, query }) {
      const documents = await listCurated(services.db, principal, query);
      return documents.map((document) => ({
        document_id: document.external_id,
        semantic_id: document.semantic_identifier,
        link: document.link ?? '',
        boost: document.boost,
        hidden: document.hidden,
      }));
    },
  }),
  defineRoute({
    ...ADMIN,
    method: 'POST',
    path: '/manage/admin/doc-boosts',
    summary: 'Boost a document, in the shape of existing clients',
    body: z.object({ document_id: documentId, boost }),
    reply: z.null(),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, body }) {
      await curate(services.db, principal, body.document_id, { boost: body.boost });
      return null;
    },
  }),
  defineRoute({
    ...ADMIN,
    method: 'POST',
    path: '/manage/admin/doc-hidden',
    summary: 'Hide a document or show it again, in the shape of existing clients',
    body: z.object({ document_id: documentId, hidden }),
    reply: z.null(),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, body }) {
      await curate(services.db, principal, body.document_id, { hidden: body.hidden });
      return null;
    },
  }),
];

async function curate(
  db: Database,
  reader: Reader,
  externalId: string,
  curation: Curation,
): Promise<void> {
  if (!(await curateDocument(db, reader, externalId, curation))) throw unknownDocument(externalId);
}

function unknownDocument(documentId: string): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no document with the id ${JSON.stringify(documentId.slice(0, 200))}. GET /service-api/ingestion lists the documents.`,
  );
}
