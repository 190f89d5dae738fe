import { z } from 'zod';
import { EVENT_TYPE_NAMES, EVENT_TYPES } from '#src/webhooks/event-types.ts';
import { WEBHOOK_DELIVERY_STATUSES } from '#src/tables/webhooks.ts';
import type { DeliveryRecord } from './deliveries.ts';
import type { EventRecord, ListedEvent } from './events.ts';
import { deliverySchema, presentDelivery } from './present-delivery.ts';

const eventFields = {
  id: z.string(),
  type: z.string(),
  timestamp: z.iso
    .datetime()
    .describe(
      'When it happened: the timestamp of the payload, or created_at once that was expunged.',
    ),
  created_at: z.iso.datetime().describe('When it was stored: since and until go by it.'),
};

export const listedEventSchema = z
  .object({
    ...eventFields,
    deliveries: z
      .record(z.enum(WEBHOOK_DELIVERY_STATUSES), z.int())
      .describe('How many of its deliveries are in each state.'),
  })
  .meta({ id: 'WebhookEventSummary' });

export function presentListedEvent({
  counts,
  ...event
}: ListedEvent): z.input<typeof listedEventSchema> {
  return {
    ...presentFields(event),
    deliveries: {
      pending: counts.pending ?? 0,
      delivering: counts.delivering ?? 0,
      delivered: counts.delivered ?? 0,
      waiting: counts.waiting ?? 0,
      exhausted: counts.exhausted ?? 0,
      canceled: counts.canceled ?? 0,
    },
  };
}

/** The body that receivers get. */
const envelopeSchema = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});

export const eventSchema = z
  .object({
    ...eventFields,
    payload: envelopeSchema
      .nullable()
      .describe('What is posted to the endpoints; null once it was expunged.'),
    deliveries: z.array(deliverySchema),
  })
  .meta({ id: 'WebhookEvent' });

export function presentEvent(
  { payload, ...event }: EventRecord & { payload: string | null },
  deliveries: readonly DeliveryRecord[],
): z.input<typeof eventSchema> {
  return {
    ...presentFields(event),
    payload: payload === null ? null : envelopeSchema.parse(JSON.parse(payload)),
    deliveries: deliveries.map(presentDelivery),
  };
}

function presentFields({ id, type, timestamp, created_at }: EventRecord) {
  const storedAt = created_at.toISOString();
  return { id, type, timestamp: timestamp ?? storedAt, created_at: storedAt };
}

export const eventTypeSchema = z
  .object({
    type: z.enum(EVENT_TYPE_NAMES),
    summary: z.string(),
    opt_in: z.boolean().describe('An endpoint gets it only when its event_types name it.'),
    data_schema: z.record(z.string(), z.unknown()).describe('JSON Schema of `data`.'),
  })
  .meta({ id: 'WebhookEventType' });

export function presentEventTypes(): z.input<typeof eventTypeSchema>[] {
  return EVENT_TYPE_NAMES.map((type) => {
    const { summary, isOptIn, data } = EVENT_TYPES[type];
    return { type, summary, opt_in: isOptIn, data_schema: z.toJSONSchema(data) };
  });
}
