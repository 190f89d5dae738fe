import { z } from 'zod';
import { WEBHOOK_ATTEMPT_OUTCOMES, WEBHOOK_DELIVERY_STATUSES } from '#src/tables/webhooks.ts';
import type { AttemptRecord, DeliveryRecord } from './deliveries.ts';

const maybe = z.iso.datetime().nullable();

export const deliverySchema = z
  .object({
    id: z.int(),
    event_id: z.string().describe('The `webhook-id` that the receiver sees on every attempt.'),
    event_type: z.string(),
    endpoint_id: z.string().describe('The endpoint may be deleted by now.'),
    status: z.enum(WEBHOOK_DELIVERY_STATUSES),
    attempts: z.int().describe('Those that counted: failures on our side do not.'),
    round: z.int().describe('1 at first; each resend or recovery begins another one.'),
    next_attempt_at: maybe,
    last_status_code: z.int().nullable(),
    error: z
      .string()
      .nullable()
      .describe('Why the last attempt failed, or why nothing is sent any more.'),
    created_at: z.iso.datetime(),
    delivered_at: maybe.describe('The first success.'),
    finished_at: maybe.describe('When it became delivered, exhausted or canceled.'),
  })
  .meta({ id: 'WebhookDelivery' });

export function presentDelivery(delivery: DeliveryRecord): z.input<typeof deliverySchema> {
  return {
    id: delivery.id,
    event_id: delivery.webhook_event_id,
    event_type: delivery.event_type,
    endpoint_id: delivery.webhook_endpoint_id,
    status: delivery.status,
    attempts: delivery.attempts,
    round: delivery.round,
    next_attempt_at: iso(delivery.next_attempt_at),
    last_status_code: delivery.last_status_code,
    error: delivery.error,
    created_at: delivery.created_at.toISOString(),
    delivered_at: iso(delivery.delivered_at),
    finished_at: iso(delivery.finished_at),
  };
}

export const attemptSchema = z
  .object({
    id: z.int(),
    round: z.int(),
    outcome: z
      .enum(WEBHOOK_ATTEMPT_OUTCOMES)
      .describe('interrupted: whether the receiver was reached is not known.'),
    counts: z.boolean().describe('false: it failed on our side and spends none of the attempts.'),
    status_code: z.int().nullable(),
    error_class: z.string().nullable(),
    error: z.string().nullable(),
    answer: z.string().nullable().describe("The beginning of the receiver's answer."),
    duration_ms: z.int(),
    started_at: z.iso.datetime(),
  })
  .meta({ id: 'WebhookAttempt' });

export function presentAttempt(attempt: AttemptRecord): z.input<typeof attemptSchema> {
  return {
    id: attempt.id,
    round: attempt.round,
    outcome: attempt.outcome,
    counts: attempt.counts,
    status_code: attempt.status_code,
    error_class: attempt.error_class,
    error: attempt.error,
    answer: attempt.answer,
    duration_ms: attempt.duration_ms,
    started_at: attempt.started_at.toISOString(),
  };
}

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
