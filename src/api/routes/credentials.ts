import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import {
  accessType,
  credentialMergeSchema,
  credentialReplaceSchema,
  credentialRequestSchema,
  credentialRowId,
  pathCredentialId,
  rowId,
} from '#src/connectors/administration/connector-request.ts';
import {
  createCredential,
  deleteCredential,
  listCredentials,
  readCredential,
  updateCredential,
} from '#src/connectors/administration/credentials.ts';
import {
  creationReplySchema,
  credentialSnapshotSchema,
  presentCredential,
} from '#src/connectors/administration/present-credential.ts';
import { findConnector } from '#src/connectors/kinds/registry.ts';
import { shownUnder } from '#src/connectors/kinds/source-spellings.ts';
import { removeCredential } from '#src/connectors/administration/remove-credential.ts';
import { statusResponseSchema, succeeded } from '#src/connectors/administration/status-response.ts';
import { swapCredential } from '#src/connectors/administration/swap-credential.ts';

const CREDENTIAL_ROUTE = { tag: 'Credentials', family: 'platform', scope: 'admin' } as const;
const oneCredential = z.object({ id: pathCredentialId });
const KEEPS_SECRETS =
  'A masked value that comes back as it was shown keeps the stored secret; any other text that looks masked is refused.';

const creation = defineRoute({
  ...CREDENTIAL_ROUTE,
  method: 'POST',
  path: '/manage/credential',
  summary: 'Create a credential',
  description:
    'It is encrypted where it is stored and shown masked. credential_json is checked against its kind.',
  body: credentialRequestSchema,
  reply: creationReplySchema,
  async handle({ services, principal, body }) {
    const made = await createCredential(services, principal, {
      name: body.name ?? null,
      source: body.source,
      json: body.credential_json,
      adminPublic: body.admin_public ?? true,
      curatorPublic: body.curator_public ?? false,
    });
    return { id: made.id, credential: presentCredential(services.secrets, made) };
  },
});

const listing = defineRoute({
  ...CREDENTIAL_ROUTE,
  method: 'GET',
  path: '/manage/credential',
  summary: 'List credentials: 0, the built-in empty one, then the others, oldest first',
  description:
    'Your own, shared ones (admin_public), and all of sources that need no secret. Secrets are masked.',
  reply: z.array(credentialSnapshotSchema),
  async handle({ services, principal }) {
    const found = await listCredentials(services.db, principal);
    return found.map((credential) => presentCredential(services.secrets, credential));
  },
});

const detail = defineRoute({
  ...CREDENTIAL_ROUTE,
  method: 'GET',
  path: '/manage/credential/{id}',
  summary: 'A credential, its secrets masked',
  params: oneCredential,
  reply: credentialSnapshotSchema,
  handle: async ({ services, principal, params }) =>
    presentCredential(services.secrets, await readCredential(services.db, principal, params.id)),
});

const replacement = defineRoute({
  ...CREDENTIAL_ROUTE,
  method: 'PATCH',
  path: '/manage/credential/{id}',
  summary: 'Replace credential_json as a whole',
  description: `The other fields are accepted and left as they are. ${KEEPS_SECRETS}`,
  params: oneCredential,
  body: credentialReplaceSchema,
  reply: credentialSnapshotSchema,
  async handle({ services, principal, params, body }) {
    const change = { json: body.credential_json, how: 'replace' } as const;
    const changed = await updateCredential(services, principal, params.id, change);
    return presentCredential(services.secrets, changed);
  },
});

const deletion = defineRoute({
  ...CREDENTIAL_ROUTE,
  method: 'DELETE',
  path: '/manage/credential/{id}',
  summary: 'Delete a credential that no pair uses',
  params: oneCredential,
  reply: statusResponseSchema,
  async handle({ services, principal, params }) {
    await deleteCredential(services.db, principal, params.id);
    return succeeded('Credential deleted successfully', params.id);
  },
});

const forcedDeletion = defineRoute({
  ...CREDENTIAL_ROUTE,
  method: 'DELETE',
  path: '/manage/credential/force/{id}',
  summary: 'Delete a credential and the pairs that use it',
  description: 'The pairs go with the documents that no other pair has; a job does that.',
  params: oneCredential,
  reply: statusResponseSchema,
  errors: ['CONFLICT'],
  async handle({ services, principal, params, requestId }) {
    const pairs = await removeCredential(services, principal, params.id, requestId);
    return succeeded(`Credential deleted; ${pairs} pairs are being deleted`, params.id);
  },
});

const swap = defineRoute({
  ...CREDENTIAL_ROUTE,
  method: 'PUT',
  path: '/manage/admin/credential/swap',
  summary: "Give a connector's one pair another credential",
  description:
    'The source is contacted first. A pair that was stopped for its credential goes on. data is the id of the pair.',
  body: z.object({
    new_credential_id: credentialRowId,
    connector_id: rowId,
    access_type: accessType.nullish(),
  }),
  reply: statusResponseSchema,
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle({ services, principal, body, requestId, signal }) {
    const pairId = await swapCredential(services, principal, {
      connectorId: body.connector_id,
      credentialId: body.new_credential_id,
      accessType: body.access_type ?? null,
      requestId,
      signal,
    });
    return succeeded('Credential swapped successfully', pairId);
  },
});

export const credentialRoutes: Route[] = [
  ...[creation, listing, detail, replacement, deletion, forcedDeletion].flatMap((route) => [
    route,
    { ...route, path: route.path.replace('/manage/', '/manage/admin/') },
  ]),
  swap,
  defineRoute({
    ...CREDENTIAL_ROUTE,
    method: 'PUT',
    path: '/manage/admin/credential/{id}',
    summary: 'Merge keys into credential_json, and rename',
    description: `Keys that are not sent stay. ${KEEPS_SECRETS}`,
    params: oneCredential,
    body: credentialMergeSchema,
    reply: credentialSnapshotSchema,
    async handle({ services, principal, params, body }) {
      const changed = await updateCredential(services, principal, params.id, {
        json: body.credential_json,
        how: 'merge',
        name: body.name,
      });
      return presentCredential(services.secrets, changed);
    },
  }),
  defineRoute({
    ...CREDENTIAL_ROUTE,
    method: 'GET',
    path: '/manage/admin/similar-credentials/{source_type}',
    summary: 'List the credentials of a source',
    description: 'tracker and jira are one source.',
    params: z.object({ source_type: z.string().min(1).max(64) }),
    reply: z.array(credentialSnapshotSchema),
    async handle({ services, principal, params, framing }) {
      const { source_type: source } = params;
      const kind = findConnector(source)?.kind ?? source.toLowerCase();
      const shown = shownUnder(source, framing);
      const found = await listCredentials(services.db, principal);
      return found
        .filter((credential) => credential.kind === kind || shown.includes(credential.kind))
        .map((credential) => presentCredential(services.secrets, credential));
    },
  }),
];
