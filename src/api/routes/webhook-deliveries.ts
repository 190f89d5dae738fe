import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import {
  findDelivery,
  listAttempts,
  listDeliveries,
} from '#src/webhooks/administration/deliveries.ts';
import { emptyBodySchema } from '#src/webhooks/administration/endpoint-request.ts';
import { deliveriesQuerySchema } from '#src/webhooks/administration/lookup-query.ts';
import { deliveryIdOf } from '#src/webhooks/administration/path-ids.ts';
import {
  attemptSchema,
  deliverySchema,
  presentAttempt,
  presentDelivery,
} from '#src/webhooks/administration/present-delivery.ts';
import { resendDelivery } from '#src/webhooks/administration/resend-delivery.ts';

const WEBHOOKS = { tag: 'Webhooks', family: 'reference', scope: 'admin' } as const;

const oneDelivery = z.object({ id: z.string() });

export const webhookDeliveryRoutes: Route[] = [
  defineRoute({
    ...WEBHOOKS,
    method: 'GET',
    path: '/webhook-deliveries',
    summary: 'List deliveries, newest first',
    description:
      'One for each event and each endpoint that it was for. Those to endpoints that are deleted by now are among them. next_cursor is null on the last page.',
    query: deliveriesQuerySchema,
    reply: z.object({ deliveries: z.array(deliverySchema), next_cursor: z.string().nullable() }),
    async handle({ services, principal, query }) {
      const { db } = services;
      const { deliveries, nextCursor } = await listDeliveries(db, principal.workspaceId, query);
      return { deliveries: deliveries.map(presentDelivery), next_cursor: nextCursor };
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'GET',
    path: '/webhook-deliveries/{id}',
    summary: 'A delivery and how it stands',
    params: oneDelivery,
    reply: deliverySchema,
    async handle({ services, principal, params }) {
      const address = { workspaceId: principal.workspaceId, id: deliveryIdOf(params.id) };
      return presentDelivery(await findDelivery(services.db, address));
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'GET',
    path: '/webhook-deliveries/{id}/attempts',
    summary: 'List the attempts of a delivery with what the receiver answered, oldest first',
    description: 'The latest 1,000.',
    params: oneDelivery,
    reply: z.object({ attempts: z.array(attemptSchema) }),
    async handle({ services, principal, params }) {
      const address = { workspaceId: principal.workspaceId, id: deliveryIdOf(params.id) };
      const attempts = await listAttempts(services.db, address);
      return { attempts: attempts.map(presentAttempt) };
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'POST',
    path: '/webhook-deliveries/{id}/resend',
    status: 202,
    summary: 'Send a delivery anew',
    description:
      'Whatever became of it, the schedule of attempts begins from its start; the receiver sees the same webhook-id. Answers 202 at once. Not for what is being sent just now, whose endpoint is disabled or deleted, or whose payload was expunged.',
    params: oneDelivery,
    body: emptyBodySchema,
    reply: deliverySchema,
    errors: ['CONFLICT'],
    async handle({ services, principal, params, requestId }) {
      const address = { workspaceId: principal.workspaceId, id: deliveryIdOf(params.id) };
      return presentDelivery(await resendDelivery(services, address, requestId));
    },
  }),
];
