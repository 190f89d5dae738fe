import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import {
  connectorCheckSchema,
  connectorRequestSchema,
  credentialRowId,
  pathCredentialId,
  pathId,
  rowId,
} from '#src/connectors/administration/connector-request.ts';
import {
  createConnector,
  deleteConnector,
  listConnectors,
  readConnector,
  updateConnector,
} from '#src/connectors/administration/connectors.ts';
import { createLinkedConnector } from '#src/connectors/administration/create-linked-connector.ts';
import { checkGiven } from '#src/connectors/administration/check-given.ts';
import {
  connectorKindSchema,
  connectorSnapshotSchema,
  presentConnector,
  presentKind,
} from '#src/connectors/administration/present-connector.ts';
import { creationReplySchema } from '#src/connectors/administration/present-credential.ts';
import { CONNECTORS } from '#src/connectors/kinds/registry.ts';
import { sourceFor } from '#src/documents/platform-source.ts';
import { sendDueJobs } from '#src/connectors/administration/reschedule-pairs.ts';
import { runConnector } from '#src/connectors/administration/run-connector.ts';
import { statusResponseSchema, succeeded } from '#src/connectors/administration/status-response.ts';
import { takesEmptyCredential } from '#src/connectors/administration/validate-config.ts';

const CONNECTOR_ROUTE = { tag: 'Connectors', family: 'platform', scope: 'admin' } as const;
const oneConnector = z.object({ id: pathId });

const listing = defineRoute({
  ...CONNECTOR_ROUTE,
  method: 'GET',
  path: '/manage/admin/connector',
  summary: 'List connectors, oldest first',
  query: z.object({
    credential: pathCredentialId.optional().describe('Only those linked to this credential.'),
  }),
  reply: z.array(connectorSnapshotSchema),
  async handle({ services, principal, query }) {
    const { workspaceId } = principal;
    const found = await listConnectors(services.db, workspaceId, query.credential ?? null);
    return found.map(presentConnector);
  },
});

const detail = defineRoute({
  ...CONNECTOR_ROUTE,
  method: 'GET',
  path: '/manage/admin/connector/{id}',
  summary: 'A connector and its settings',
  params: oneConnector,
  reply: connectorSnapshotSchema,
  handle: async ({ services, principal, params }) =>
    presentConnector(await readConnector(services.db, principal.workspaceId, params.id)),
});

export const connectorRoutes: Route[] = [
  defineRoute({
    ...CONNECTOR_ROUTE,
    method: 'GET',
    path: '/manage/admin/connector-kinds',
    summary: 'What can be connected, with the settings and credential of each kind',
    reply: z.array(connectorKindSchema),
    handle: () => CONNECTORS.map((kind) => presentKind(kind, !takesEmptyCredential(kind))),
  }),
  defineRoute({
    ...CONNECTOR_ROUTE,
    method: 'POST',
    path: '/manage/admin/connector',
    summary: 'Create a connector',
    description:
      'Its settings are checked against its kind. Nothing is polled before it is linked to a credential: PUT /manage/admin/connector/{connector_id}/credential/{credential_id}.',
    body: connectorRequestSchema,
    reply: creationReplySchema,
    handle: async ({ services, principal, body }) => ({
      id: await createConnector(services.db, principal.workspaceId, body),
      credential: null,
    }),
  }),
  defineRoute({
    ...CONNECTOR_ROUTE,
    method: 'POST',
    path: '/manage/admin/connector-with-mock-credential',
    summary: 'Create a connector that needs no secret, link it to credential 0 and run it',
    description: 'Nothing is created when the source does not answer. data is the id of the pair.',
    body: connectorRequestSchema,
    reply: statusResponseSchema,
    handle: ({ services, principal, body, requestId, signal }) =>
      createLinkedConnector(
        services,
        principal,
        { connector: body, credentialId: 0 },
        { requestId, signal },
      ),
  }),
  defineRoute({
    ...CONNECTOR_ROUTE,
    method: 'POST',
    path: '/manage/admin/connector/with-credential',
    summary: 'Create a connector, link it to a credential and run it',
    description:
      'Nothing is created when the source refuses: the answer is 400 then, with its own words. data is the id of the pair.',
    body: connectorRequestSchema.extend({ credential_id: credentialRowId }),
    reply: statusResponseSchema,
    errors: ['NOT_FOUND'],
    handle({ services, principal, body, requestId, signal }) {
      const { credential_id: credentialId, ...connector } = body;
      const wanted = { connector, credentialId };
      return createLinkedConnector(services, principal, wanted, { requestId, signal });
    },
  }),
  defineRoute({
    ...CONNECTOR_ROUTE,
    method: 'POST',
    path: '/manage/admin/connector/check',
    summary: 'Ask the source whether settings and a credential work; nothing is kept',
    description:
      'Send credential_id, or credential_json for a credential that is not stored yet. When the source refuses, the answer is 400 with its own words.',
    body: connectorCheckSchema,
    reply: z.object({ status: z.literal('ok') }),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, body, signal }) {
      await checkGiven(services, principal, body, signal);
      return { status: 'ok' as const };
    },
  }),
  defineRoute({
    ...CONNECTOR_ROUTE,
    method: 'POST',
    path: '/manage/admin/connector/run-once',
    summary: "Run a connector's pairs now",
    description:
      'Without credential_ids all of them. Pairs that are paused or being deleted are left out. data is the number of runs.',
    body: z.object({
      connector_id: rowId,
      credential_ids: z.array(credentialRowId).max(1_000).nullish(),
      from_beginning: z.boolean().nullish().describe('Fetch everything again.'),
    }),
    reply: statusResponseSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle({ services, principal, body, requestId }) {
      const count = await runConnector(services, {
        workspaceId: principal.workspaceId,
        connectorId: body.connector_id,
        credentialIds: body.credential_ids ?? [],
        fromBeginning: body.from_beginning ?? false,
        requestId,
      });
      return succeeded(`Marked ${count} index attempts with indexing triggers.`, count);
    },
  }),
  defineRoute({
    ...CONNECTOR_ROUTE,
    method: 'PATCH',
    path: '/manage/admin/connector/{id}',
    summary: 'Replace a connector',
    description:
      'Send all of it. Changed frequencies take effect at once; changed settings make the next run begin from the beginning. A prune_freq of null becomes 7 days.',
    params: oneConnector,
    body: connectorRequestSchema,
    reply: connectorSnapshotSchema,
    async handle({ services, principal, params, body, requestId, framing }) {
      const { db, clock } = services;
      const { workspaceId, userId } = principal;
      const which = { workspaceId, userId, id: params.id, now: clock() };
      const { source } = await readConnector(db, workspaceId, params.id);
      // A value returned as it was shown is not a change: a feed is shown as `web` under /api.
      const isAsShown = body.source === sourceFor(framing, source);
      const moved = await updateConnector(db, which, isAsShown ? { ...body, source } : body);
      await sendDueJobs(services, moved, requestId);
      return presentConnector(await readConnector(db, principal.workspaceId, params.id));
    },
  }),
  defineRoute({
    ...CONNECTOR_ROUTE,
    method: 'DELETE',
    path: '/manage/admin/connector/{id}',
    summary: 'Delete a connector that has no pairs',
    description: 'Deleting one that does not exist succeeds too.',
    params: oneConnector,
    reply: statusResponseSchema,
    errors: ['CONFLICT'],
    async handle({ services, principal, params }) {
      const existed = await deleteConnector(services.db, principal.workspaceId, params.id);
      const word = existed ? 'deleted' : 'already deleted';
      return succeeded(`Connector ${params.id} ${word}`, params.id);
    },
  }),
  listing,
  { ...listing, path: '/manage/connector' },
  detail,
  { ...detail, path: '/manage/connector/{id}' },
];
