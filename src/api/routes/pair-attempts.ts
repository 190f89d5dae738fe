import { listSyncedDocuments } from '#src/documents/documents-of-pair.ts';
import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { pathId } from '#src/connectors/administration/connector-request.ts';
import { findRun } from '#src/connectors/administration/pair-attempts.ts';
import { findPairId } from '#src/connectors/administration/pair-status.ts';
import {
  indexAttemptErrorSchema,
  indexAttemptSchema,
  presentRun,
  pruneAttemptSchema,
} from '#src/connectors/administration/present-attempt.ts';
import { errorsBody, prunesBody, runsBody, toPage } from './connector-bodies.ts';

const ATTEMPT_ROUTE = { tag: 'Connectors', family: 'platform', scope: 'admin' } as const;
const MAX_PAGE_NUMBER = 1_000_000;
const MAX_SYNCED_DOCUMENTS = 10_000;

const onePair = z.object({ id: pathId });

const pageQuery = (most: number, usual = 10) =>
  z.object({
    page_num: z.coerce.number().int().min(0).max(MAX_PAGE_NUMBER).default(0).describe('From 0.'),
    page_size: z.coerce.number().int().min(1).max(most).default(usual),
  });

const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), total_items: z.int() });

export const pairAttemptRoutes: Route[] = [
  defineRoute({
    ...ATTEMPT_ROUTE,
    method: 'GET',
    path: '/manage/admin/cc-pair/{id}/index-attempts',
    summary: 'List the runs of a pair with all counts, newest first',
    params: onePair,
    query: pageQuery(1_000),
    reply: pageOf(indexAttemptSchema),
    handle: ({ services, principal, params, query }) =>
      runsBody(services, { ...principal, ...params }, query),
  }),
  defineRoute({
    ...ATTEMPT_ROUTE,
    method: 'GET',
    path: '/manage/admin/cc-pair/{id}/index-attempts/{attempt_id}',
    summary: 'A run: counts, rate, progress, heartbeat',
    params: onePair.extend({ attempt_id: pathId }),
    reply: indexAttemptSchema,
    async handle({ services, principal, params }) {
      const { db, clock } = services;
      const pairId = await findPairId(db, principal.workspaceId, params.id);
      return presentRun(await findRun(db, pairId, params.attempt_id), clock());
    },
  }),
  defineRoute({
    ...ATTEMPT_ROUTE,
    method: 'GET',
    path: '/manage/admin/cc-pair/{id}/errors',
    summary: 'List the documents of a pair that failed, newest first',
    description:
      'Each is tried again at the next run and resolved when it succeeds. Resolved ones are listed with include_resolved.',
    params: onePair,
    query: pageQuery(100).extend({ include_resolved: z.stringbool().default(false) }),
    reply: pageOf(indexAttemptErrorSchema),
    handle: ({ services, principal, params, query }) =>
      errorsBody(services, { ...principal, ...params }, query),
  }),
  defineRoute({
    ...ATTEMPT_ROUTE,
    method: 'GET',
    path: '/manage/admin/cc-pair/{id}/prune-attempts',
    summary: 'List the prunes of a pair, newest first',
    params: onePair,
    query: pageQuery(100),
    reply: pageOf(pruneAttemptSchema),
    handle: ({ services, principal, params, query }) =>
      prunesBody(services, { ...principal, ...params }, query),
  }),
  defineRoute({
    ...ATTEMPT_ROUTE,
    method: 'GET',
    path: '/manage/admin/cc-pair/{id}/get-docs-sync-status',
    summary: 'List the documents of a pair and when each was indexed',
    description: `In the order in which they came, ${MAX_SYNCED_DOCUMENTS} at most; page on with page_num.`,
    params: onePair,
    query: pageQuery(MAX_SYNCED_DOCUMENTS, MAX_SYNCED_DOCUMENTS),
    reply: z.array(
      z
        .object({
          doc_id: z.string(),
          last_synced: z.iso.datetime().nullable().describe('When it was indexed last.'),
          last_modified: z.iso.datetime().describe('When its content changed here last.'),
        })
        .meta({ id: 'DocumentSyncStatus' }),
    ),
    async handle({ services, principal, params, query }) {
      const pairId = await findPairId(services.db, principal.workspaceId, params.id);
      const documents = await listSyncedDocuments(
        services.db,
        pairId,
        principal.userId,
        toPage(query),
      );
      return documents.map((document) => ({
        doc_id: document.external_id,
        last_synced: document.indexed_at?.toISOString() ?? null,
        last_modified: document.accepted_at.toISOString(),
      }));
    },
  }),
];
