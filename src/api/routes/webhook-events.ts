import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { deliveriesOfEvent } from '#src/webhooks/administration/deliveries.ts';
import { findEvent, listEvents } from '#src/webhooks/administration/events.ts';
import { expungePayload } from '#src/webhooks/administration/expunge-payload.ts';
import { eventsQuerySchema } from '#src/webhooks/administration/lookup-query.ts';
import { eventIdOf } from '#src/webhooks/administration/path-ids.ts';
import {
  eventSchema,
  eventTypeSchema,
  listedEventSchema,
  presentEvent,
  presentEventTypes,
  presentListedEvent,
} from '#src/webhooks/administration/present-event.ts';

const WEBHOOKS = { tag: 'Webhooks', family: 'reference', scope: 'admin' } as const;

const oneEvent = z.object({ id: z.string() });

export const webhookEventRoutes: Route[] = [
  defineRoute({
    ...WEBHOOKS,
    method: 'GET',
    path: '/webhook-event-types',
    summary: 'List the event types with the schema of their data',
    reply: z.object({ event_types: z.array(eventTypeSchema) }),
    handle: () => ({ event_types: presentEventTypes() }),
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'GET',
    path: '/webhook-events',
    summary: 'List events and how their deliveries stand, newest first',
    description:
      'Events are kept for a while that the operator sets (90 days at first). next_cursor is null on the last page.',
    query: eventsQuerySchema,
    reply: z.object({ events: z.array(listedEventSchema), next_cursor: z.string().nullable() }),
    async handle({ services, principal, query }) {
      const { events, nextCursor } = await listEvents(services.db, principal.workspaceId, query);
      return { events: events.map(presentListedEvent), next_cursor: nextCursor };
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'GET',
    path: '/webhook-events/{id}',
    summary: 'An event with its payload and its deliveries',
    params: oneEvent,
    reply: eventSchema,
    async handle({ services, principal, params }) {
      const { workspaceId } = principal;
      const event = await findEvent(services.db, { workspaceId, id: eventIdOf(params.id) });
      const deliveries = await deliveriesOfEvent(services.db, workspaceId, event.id);
      return presentEvent(event, deliveries);
    },
  }),
  defineRoute({
    ...WEBHOOKS,
    method: 'DELETE',
    path: '/webhook-events/{id}/payload',
    summary: 'Expunge the payload of an event and what receivers answered to it',
    description:
      'What is still to be delivered is canceled. The event, its deliveries and its attempts stay to be looked up.',
    params: oneEvent,
    reply: z.object({ status: z.literal('deleted'), id: z.string() }),
    async handle({ services, principal, params }) {
      const id = eventIdOf(params.id);
      await expungePayload(services.db, { workspaceId: principal.workspaceId, id });
      return { status: 'deleted' as const, id };
    },
  }),
];
