import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import {
  groupByStatus,
  indexingStatusReplySchema,
  indexingStatusRequestSchema,
} from '#src/connectors/administration/indexing-status.ts';
import {
  listIndexedSources,
  listLinkedSources,
} from '#src/connectors/administration/pair-sources.ts';
import { isIndexing, listPairs } from '#src/connectors/administration/pair-status.ts';
import { pairStatusSchema } from '#src/connectors/administration/present-pair.ts';
import { sourceFor } from '#src/documents/platform-source.ts';
import { pairsBody } from './connector-bodies.ts';

const STATUS_ROUTE = { tag: 'Connectors', family: 'platform', scope: 'admin' } as const;
const ignored = z.string().optional().describe('Ignored.');

const pairListing = defineRoute({
  ...STATUS_ROUTE,
  method: 'GET',
  path: '/manage/admin/connector/status',
  summary: 'List pairs with status and counts',
  description: 'Connectors that are not linked are not in it.',
  reply: z.array(pairStatusSchema),
  handle: ({ services, principal }) => pairsBody(services, principal.workspaceId),
});

export const connectorStatusRoutes: Route[] = [
  pairListing,
  { ...pairListing, path: '/manage/admin/cc-pair' },
  defineRoute({
    ...STATUS_ROUTE,
    method: 'GET',
    path: '/manage/admin/connector/failed-indexing-status',
    summary: 'List the pairs whose last run failed',
    query: z.object({ secondary_index: ignored, get_editable: ignored }),
    reply: z.array(
      z
        .object({
          cc_pair_id: z.int(),
          name: z.string(),
          error_msg: z.string().nullable(),
          is_deletable: z.boolean().describe('No run is under way.'),
          connector_id: z.int(),
          credential_id: z.int(),
        })
        .meta({ id: 'FailedConnectorIndexingStatus' }),
    ),
    async handle({ services, principal }) {
      const pairs = await listPairs(services.db, principal.workspaceId);
      return pairs
        .filter(({ lastFinishedRun }) => lastFinishedRun?.status === 'failed')
        .map((pair) => ({
          cc_pair_id: pair.id,
          name: pair.name,
          error_msg: pair.lastFinishedRun?.error ?? null,
          is_deletable: !isIndexing(pair),
          connector_id: pair.connector_id,
          credential_id: pair.credential_id,
        }));
    },
  }),
  defineRoute({
    ...STATUS_ROUTE,
    method: 'POST',
    path: '/manage/admin/connector/indexing-status',
    summary: 'List pairs by source, filtered and paged',
    body: indexingStatusRequestSchema,
    reply: indexingStatusReplySchema,
    async handle({ services, principal, body, framing }) {
      const pairs = await listPairs(services.db, principal.workspaceId);
      const shown = pairs.map((pair) => ({ ...pair, source: sourceFor(framing, pair.source) }));
      const source = body.source && sourceFor(framing, body.source);
      return groupByStatus(shown, { ...body, source });
    },
  }),
  defineRoute({
    ...STATUS_ROUTE,
    method: 'GET',
    path: '/manage/connector-status',
    summary: 'The sources that are linked, and whether they ever had a good run',
    reply: z.array(z.object({ has_successful_run: z.boolean(), source: z.string() })),
    async handle({ services, principal, framing }) {
      const found = await listLinkedSources(services.db, principal.workspaceId);
      const bySource = Map.groupBy(found, ({ source }) => sourceFor(framing, source));
      return [...bySource].map(([source, standings]) => ({
        source,
        has_successful_run: standings.some((standing) => standing.has_successful_run),
      }));
    },
  }),
  defineRoute({
    ...STATUS_ROUTE,
    method: 'GET',
    path: '/manage/indexed-sources',
    summary: 'The sources that have documents',
    reply: z.object({ sources: z.array(z.string()) }),
    async handle({ services, principal, framing }) {
      const found = await listIndexedSources(services.db, principal.workspaceId);
      return { sources: [...new Set(found.map((source) => sourceFor(framing, source)))] };
    },
  }),
];
