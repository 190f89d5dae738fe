import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { pathId, rowId } from '#src/connectors/administration/connector-request.ts';
import { displayName } from '#src/platform/display-name.ts';
import {
  createDocumentSet,
  deleteDocumentSet,
  type DocumentSet,
  listDocumentSets,
  updateDocumentSet,
} from '#src/connectors/administration/document-sets.ts';

const SET_ROUTE = { tag: 'Document sets', family: 'platform', scope: 'admin' } as const;
const MAX_PAIRS = 10_000;

const ignored = z.array(z.unknown()).nullish().describe('Ignored.');
const setFields = {
  description: z
    .string()
    .max(2_000)
    .refine((text) => !/\0|\p{Cs}/u.test(text), 'must not hold NUL or half surrogate pairs')
    .nullish(),
  cc_pair_ids: z.array(rowId).min(1, 'must name at least one pair').max(MAX_PAIRS),
  is_public: z.boolean().nullish().describe('Ignored: every key of the workspace may use a set.'),
  users: ignored,
  groups: ignored,
  federated_connectors: ignored,
};

const documentSetSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    cc_pair_summaries: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        source: z.string(),
        access_type: z.string(),
      }),
    ),
    is_up_to_date: z.boolean().describe('Always true: changes count at once.'),
    is_public: z.boolean(),
    users: z.array(z.string()),
    groups: z.array(z.int()),
    federated_connector_summaries: z.array(z.unknown()),
  })
  .meta({ id: 'DocumentSet' });

const listing = defineRoute({
  ...SET_ROUTE,
  method: 'GET',
  path: '/manage/document-set',
  summary: 'List document sets with their pairs',
  reply: z.array(documentSetSchema),
  handle: async ({ services, principal }) =>
    (await listDocumentSets(services.db, principal.workspaceId)).map(presentSet),
});

export const documentSetRoutes: Route[] = [
  listing,
  { ...listing, path: '/manage/admin/document-set' },
  defineRoute({
    ...SET_ROUTE,
    method: 'POST',
    path: '/manage/admin/document-set',
    summary: 'Make a named group of pairs',
    description:
      'Searches and questions are restricted to it by search_filters.document_set, which takes names. The answer is its id.',
    body: z.object({ name: displayName, ...setFields }),
    reply: z.int(),
    handle: ({ services, principal, body }) =>
      createDocumentSet(services.db, principal.workspaceId, {
        name: body.name,
        description: body.description ?? '',
        ccPairIds: body.cc_pair_ids,
      }),
  }),
  defineRoute({
    ...SET_ROUTE,
    method: 'PATCH',
    path: '/manage/admin/document-set',
    summary: 'Change a document set',
    description: 'cc_pair_ids replace the present ones; name and description stay unless sent.',
    body: z.object({ id: rowId, name: displayName.nullish(), ...setFields }),
    reply: z.null(),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, body }) {
      const which = { workspaceId: principal.workspaceId, id: body.id };
      await updateDocumentSet(services.db, which, {
        name: body.name ?? null,
        description: body.description ?? null,
        ccPairIds: body.cc_pair_ids,
      });
      return null;
    },
  }),
  defineRoute({
    ...SET_ROUTE,
    method: 'DELETE',
    path: '/manage/admin/document-set/{id}',
    summary: 'Delete a document set; its pairs and documents stay',
    params: z.object({ id: pathId }),
    reply: z.null(),
    async handle({ services, principal, params }) {
      await deleteDocumentSet(services.db, { workspaceId: principal.workspaceId, id: params.id });
      return null;
    },
  }),
];

function presentSet(set: DocumentSet): z.input<typeof documentSetSchema> {
  return {
    id: set.id,
    name: set.name,
    description: set.description,
    cc_pair_summaries: set.pairs,
    is_up_to_date: true,
    is_public: true,
    users: [],
    groups: [],
    federated_connector_summaries: [],
  };
}
