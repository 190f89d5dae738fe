import { z } from 'zod';
import { type EventTypeName, EVENT_TYPE_NAMES } from '#src/webhooks/event-types.ts';
import { WEBHOOK_DELIVERY_STATUSES } from '#src/tables/webhooks.ts';
import { timestamp } from './timestamp.ts';

const MAX_PAGE = 200;
const PAGE = 50;
/** Microseconds since 1970, as counted by the database, and the id of the last event shown. */
const EVENT_CURSOR = /^(\d{1,16}):(evt_[0-9a-f]{32})$/;
const DELIVERY_CURSOR = /^before:(\d{1,15})$/;

const NO_CURSOR = 'must be the next_cursor of an earlier page';

/** Where a list of events continues. */
export interface EventPosition {
  createdAtMicros: string;
  id: string;
}

const eventCursor = z.string().transform((text, context): EventPosition => {
  const [, createdAtMicros, id] = EVENT_CURSOR.exec(decode(text)) ?? [];
  if (createdAtMicros !== undefined && id !== undefined) return { createdAtMicros, id };
  context.addIssue(NO_CURSOR);
  return z.NEVER;
});

const deliveryCursor = z
  .string()
  .transform((text) => DELIVERY_CURSOR.exec(decode(text))?.[1])
  .refine((id) => id !== undefined, NO_CURSOR)
  .transform(Number);

export function encodeEventCursor({ createdAtMicros, id }: EventPosition): string {
  return encode(`${createdAtMicros}:${id}`);
}

export function encodeDeliveryCursor(id: number): string {
  return encode(`before:${id}`);
}

const limit = z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE);
const since = timestamp.optional().describe('Made then or later.');
const until = timestamp.optional().describe('Made before then.');
const eventType = z
  .string()
  .refine(
    (name): name is EventTypeName => EVENT_TYPE_NAMES.some((known) => known === name),
    `must be one of ${EVENT_TYPE_NAMES.join(', ')}`,
  )
  .meta({ enum: [...EVENT_TYPE_NAMES] })
  .optional();

export const eventsQuerySchema = z.strictObject({
  type: eventType,
  since,
  until,
  limit,
  cursor: eventCursor.optional(),
});
export type EventsQuery = z.output<typeof eventsQuerySchema>;

export const deliveriesQuerySchema = z.strictObject({
  endpoint_id: z.uuid('must be the id of an endpoint').optional(),
  event_id: z.string().max(100).optional(),
  event_type: eventType,
  status: z.enum(WEBHOOK_DELIVERY_STATUSES).optional(),
  since,
  until,
  limit,
  cursor: deliveryCursor.optional(),
});
export type DeliveriesQuery = z.output<typeof deliveriesQuerySchema>;

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString();
}
