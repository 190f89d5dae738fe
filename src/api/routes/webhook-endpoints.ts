import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { changeEndpoint } from '#src/webhooks/administration/change-endpoint.ts';
import { createEndpoint } from '#src/webhooks/administration/create-endpoint.ts';
import { deleteEndpoint } from '#src/webhooks/administration/delete-endpoint.ts';
import {
  emptyBodySchema,
  endpointChangeSchema,
  newEndpointSchema,
  recoverySchema,
  rotationSchema,
} from '#src/webhooks/administration/endpoint-request.ts';
import { findEndpoint, listEndpoints } from '#src/webhooks/administration/endpoints.ts';
import { endpointIdOf } from '#src/webhooks/administration/path-ids.ts';
import {
  endpointSchema,
  presentEndpoint,
  secretField,
} from '#src/webhooks/administration/present-endpoint.ts';
import { recoverDeliveries } from '#src/webhooks/administration/recover-deliveries.ts';
import { rotateSecret } from '#src/webhooks/administration/rotate-secret.ts';
import { testEndpoint } from '#src/webhooks/administration/test-endpoint.ts';

const WEBHOOKS = { tag: 'Webhooks', family: 'reference', scope: 'admin' } as const;

const oneEndpoint = z.object({ id: z.string() });

export const webhookEndpointRoutes: Route[] = [
  defineRoute({
    ...WEBHOOKS,
    method: 'POST',
    path: '/webhook-endpoints',
    summary: 'Make a webhook endpoint; its secret is shown this once',
    description:
      'Events of the workspace are posted to its URL from then on, each until it is answered with a 2xx or the schedule of attempts is used up. A workspace may have 50 endpoints.',
    body: newEndpointSchema,
    reply: endpointSchema.extend({ secret: secretField }),
    errors: ['CONFLICT'],
    async handle({ services, principal, body, signal }) {
      const { endpoint, secret } = await createEndpoint(
        services,
        principal.workspaceId,
        body,
        signal,
      );
      return { ...presentEndpoint(endpoint), secret };
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'GET',
    path: '/webhook-endpoints',
    summary: 'List the webhook endpoints of the workspace with their health, oldest first',
    reply: z.object({ webhook_endpoints: z.array(endpointSchema), total: z.int() }),
    async handle({ services, principal }) {
      const endpoints = await listEndpoints(services.db, principal.workspaceId);
      return { webhook_endpoints: endpoints.map(presentEndpoint), total: endpoints.length };
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'GET',
    path: '/webhook-endpoints/{id}',
    summary: 'A webhook endpoint and its health',
    params: oneEndpoint,
    reply: endpointSchema,
    async handle({ services, principal, params }) {
      const address = { workspaceId: principal.workspaceId, id: endpointIdOf(params.id) };
      return presentEndpoint(await findEndpoint(services.db, address));
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'PATCH',
    path: '/webhook-endpoints/{id}',
    summary: 'Change, disable or enable a webhook endpoint',
    description:
      'What is not sent stays. enabled: false cancels what waits to be delivered. enabled: true, and another url, forget all failures; POST /webhook-endpoints/{id}/recover then brings back what was missed.',
    params: oneEndpoint,
    body: endpointChangeSchema,
    reply: endpointSchema,
    async handle({ services, principal, params, body, signal }) {
      const address = { workspaceId: principal.workspaceId, id: endpointIdOf(params.id) };
      return presentEndpoint(await changeEndpoint(services, address, body, signal));
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'DELETE',
    path: '/webhook-endpoints/{id}',
    summary: 'Delete a webhook endpoint; its deliveries can still be looked up',
    description: 'Its secrets are overwritten, and what waits to be delivered is canceled.',
    params: oneEndpoint,
    reply: z.object({ status: z.literal('deleted'), id: z.string() }),
    async handle({ services, principal, params }) {
      const id = endpointIdOf(params.id);
      await deleteEndpoint(services.db, { workspaceId: principal.workspaceId, id });
      return { status: 'deleted' as const, id };
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'POST',
    path: '/webhook-endpoints/{id}/rotate-secret',
    summary: 'Give a webhook endpoint a new secret, shown this once',
    description:
      'Until the grace period is over, webhook-signature holds a signature of each secret, and X-Signature stays on the secret before. A second rotation meanwhile drops the oldest secret. grace_period_seconds: 0 ends the secret before at once.',
    params: oneEndpoint,
    body: rotationSchema,
    reply: z.object({
      id: z.string(),
      secret: secretField,
      previous_secret_valid_until: z.iso.datetime().nullable(),
    }),
    async handle({ services, principal, params, body }) {
      const id = endpointIdOf(params.id);
      const address = { workspaceId: principal.workspaceId, id };
      const { secret, previousSecretValidUntil } = await rotateSecret(services, address, body);
      return {
        id,
        secret,
        previous_secret_valid_until: previousSecretValidUntil?.toISOString() ?? null,
      };
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'POST',
    path: '/webhook-endpoints/{id}/test',
    status: 202,
    summary: 'Send a ping to a webhook endpoint',
    description:
      'Answers 202 as soon as the event `ping` is stored; status_url tells how it goes. The event filter does not apply.',
    params: oneEndpoint,
    body: emptyBodySchema,
    reply: z.object({ event_id: z.string(), delivery_id: z.int(), status_url: z.string() }),
    errors: ['CONFLICT'],
    async handle({ services, principal, params, requestId }) {
      const address = { workspaceId: principal.workspaceId, id: endpointIdOf(params.id) };
      const sent = await testEndpoint(services, address, requestId);
      return { ...sent, status_url: `/webhook-deliveries/${sent.delivery_id}` };
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'POST',
    path: '/webhook-endpoints/{id}/recover',
    summary: 'Send what a webhook endpoint has missed since a time',
    description:
      'failed: deliveries that were given up or canceled. missing: events that its filter lets pass and that it was never sent, as it was disabled or not there yet. Both are counted, then sent, oldest first, 100,000 at most; asked again, it goes on with what is left. dry_run only counts.',
    params: oneEndpoint,
    body: recoverySchema,
    reply: z.object({
      matched: z.object({ failed: z.int(), missing: z.int() }),
      recovered: z.int(),
      dry_run: z.boolean(),
    }),
    errors: ['CONFLICT'],
    async handle({ services, principal, params, body, requestId, signal }) {
      const address = { workspaceId: principal.workspaceId, id: endpointIdOf(params.id) };
      const recovery = await recoverDeliveries(services, address, body, { requestId, signal });
      return { ...recovery, dry_run: body.isDryRun };
    },
  }),
];
