import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import {
  credentialRowId,
  linkRequestSchema,
  pathCredentialId,
  pathId,
  rowId,
} from '#src/connectors/administration/connector-request.ts';
import { linkCredential } from '#src/connectors/administration/link-credential.ts';
import { statusResponseSchema, succeeded } from '#src/connectors/administration/status-response.ts';
import { deleteLink, unlinkCredential } from '#src/connectors/administration/unlink-credential.ts';

const LINK_ROUTE = { tag: 'Connectors', family: 'platform', scope: 'admin' } as const;
const linkParams = z.object({ connector_id: pathId, credential_id: pathCredentialId });

const link = defineRoute({
  ...LINK_ROUTE,
  method: 'PUT',
  path: '/manage/admin/connector/{connector_id}/credential/{credential_id}',
  summary: 'Link a connector to a credential: the source is contacted, and the first run begins',
  description:
    'Without a body name and access_type are those of the connector. data is the id of the new pair. When the source refuses, the answer is 400 with its own words and nothing is created. A link that exists is answered with success false, and the id of the connector in data. Credential 0 is the empty one.',
  params: linkParams,
  body: linkRequestSchema,
  reply: statusResponseSchema,
  handle: ({ services, principal, params, body, requestId, signal }) =>
    linkCredential(services, {
      viewer: principal,
      connectorId: params.connector_id,
      credentialId: params.credential_id,
      request: body,
      requestId,
      signal,
    }),
});

const unlink = defineRoute({
  ...LINK_ROUTE,
  method: 'DELETE',
  path: '/manage/admin/connector/{connector_id}/credential/{credential_id}',
  summary: 'Delete a pair with the documents that no other pair has',
  description:
    'Answers at once; a job does it. success is false when the two are not linked. data is the id of the connector.',
  params: linkParams,
  reply: statusResponseSchema,
  async handle({ services, principal, params, requestId }) {
    const { connector_id: connectorId, credential_id: credentialId } = params;
    const wasLinked = await unlinkCredential(services, {
      viewer: principal,
      connectorId,
      credentialId,
      requestId,
    });
    const words = `Connector ${connectorId} and Credential ${credentialId}`;
    return wasLinked
      ? succeeded(`Deleting the association between ${words}`, connectorId)
      : { success: false, message: `${words} are not linked`, data: connectorId };
  },
});

export const connectorLinkRoutes: Route[] = [
  link,
  { ...link, path: '/manage/connector/{connector_id}/credential/{credential_id}' },
  unlink,
  { ...unlink, path: '/manage/connector/{connector_id}/credential/{credential_id}' },
  defineRoute({
    ...LINK_ROUTE,
    method: 'POST',
    path: '/manage/admin/deletion-attempt',
    summary: 'Delete a pair with the documents that no other pair has',
    description:
      'Answers null at once; a job does it. The pair is DELETING until then; its connector goes with its last pair.',
    body: z.object({ connector_id: rowId, credential_id: credentialRowId }),
    reply: z.null(),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, body, requestId }) {
      await deleteLink(services, {
        viewer: principal,
        connectorId: body.connector_id,
        credentialId: body.credential_id,
        requestId,
      });
      return null;
    },
  }),
];
