import { z } from 'zod';
import { RETURN_CAUSES } from '#src/tables/email.ts';

const timestamp = z.iso.datetime();

const run = {
  cc_pair_id: z.int(),
  name: z.string(),
  source: z.string(),
  index_attempt_id: z.int(),
  documents_fetched: z.int(),
  documents_accepted: z.int(),
  documents_unchanged: z.int(),
  documents_skipped: z.int(),
  documents_failed: z.int(),
  started_at: timestamp.nullable(),
  finished_at: timestamp,
};

const documentFields = {
  document_id: z.string(),
  semantic_identifier: z.string(),
  source: z.string(),
};

const returned = {
  email_message_id: z.string(),
  email_account_id: z.string(),
  cause: z.enum(RETURN_CAUSES),
  status_code: z.string().nullable(),
  do_not_contact: z.boolean(),
};

const alarm = {
  alarm_id: z.string(),
  queue: z.string(),
  kind: z.enum(['no_worker', 'stuck', 'falling_behind']),
  message: z.string(),
  since: timestamp,
  raised_at: timestamp,
};

/** The subject of an event type, and the shape of its `data`. */
interface EventType {
  summary: string;
  data: z.ZodObject;
  /** An endpoint gets it only when its `event_types` name it. */
  isOptIn: boolean;
  /** Frequent: stored only if an endpoint, even a disabled one, wants it. */
  isForListeners: boolean;
}

/** Every event that Millrace posts to webhook endpoints. */
export const EVENT_TYPES = {
  'checkout.session.completed': {
    summary: 'A user completed a card-payment checkout, and it is paid for.',
    data: z.object({
      session_id: z.string(),
      customer_email: z.string(),
      plan_tier: z.string(),
      amount_total: z.int(),
      currency: z.string(),
    }),
    isOptIn: false,
    isForListeners: false,
  },
  'customer.subscription.deleted': {
    summary: 'A subscription is cancelled.',
    data: z.object({
      subscription_id: z.string(),
      customer_email: z.string(),
      cancellation_reason: z.string(),
      effective_date: timestamp,
    }),
    isOptIn: false,
    isForListeners: false,
  },
  'document.indexed': {
    summary:
      'Documents became searchable. What was indexed together is told together: up to 256 in one event.',
    data: z.object({
      documents: z.array(z.object({ ...documentFields, chunk_count: z.int() })),
      count: z.int(),
    }),
    isOptIn: true,
    isForListeners: true,
  },
  'document.failed': {
    summary: 'Documents could not be indexed, each with its reason.',
    data: z.object({
      documents: z.array(z.object({ ...documentFields, error: z.string() })),
      count: z.int(),
    }),
    isOptIn: true,
    isForListeners: true,
  },
  'connector.sync.completed': {
    summary: 'A run of a connector reached its end.',
    data: z.object({ ...run, status: z.enum(['success', 'completed_with_errors']) }),
    isOptIn: false,
    isForListeners: true,
  },
  'connector.sync.failed': {
    summary:
      'A run of a connector failed; `paused` says whether the pair waits for somebody to act.',
    data: z.object({ ...run, error: z.string(), paused: z.boolean() }),
    isOptIn: false,
    isForListeners: true,
  },
  'lead_scrape.completed': {
    summary: 'A lead scrape has ended.',
    data: z.object({
      scrape_id: z.string(),
      status: z.string(),
      total_results: z.int(),
      processing_time_ms: z.int(),
    }),
    isOptIn: false,
    isForListeners: false,
  },
  'email_account.verified': {
    summary: 'A sender account is verified.',
    data: z.object({ email_account_id: z.string(), email: z.string() }),
    isOptIn: false,
    isForListeners: false,
  },
  'email_message.bounced': {
    summary: 'A sent message came back.',
    data: z.object(returned),
    isOptIn: false,
    isForListeners: false,
  },
  'email_message.complained': {
    summary: 'The recipient reported a message as unwanted.',
    data: z.object(returned),
    isOptIn: false,
    isForListeners: false,
  },
  'webhook.endpoint.disabled': {
    summary: 'An endpoint of the workspace was disabled; the others are told.',
    data: z.object({
      endpoint_id: z.string(),
      url: z.string(),
      description: z.string(),
      reason: z.string(),
      failing_since: timestamp.nullable(),
      failures: z.int(),
    }),
    isOptIn: false,
    isForListeners: false,
  },
  'ops.alarm.raised': {
    summary: 'A queue is in trouble; told to the workspace of the operators.',
    data: z.object(alarm),
    isOptIn: false,
    isForListeners: true,
  },
  'ops.alarm.cleared': {
    summary: 'The trouble of a queue is over; told to the workspace of the operators.',
    data: z.object({ ...alarm, cleared_at: timestamp }),
    isOptIn: false,
    isForListeners: true,
  },
  ping: {
    summary: 'A test that an administrator sent to one endpoint.',
    data: z.object({ endpoint_id: z.string(), message: z.string() }),
    isOptIn: false,
    isForListeners: false,
  },
} as const satisfies Record<string, EventType>;

export type EventTypeName = keyof typeof EVENT_TYPES;

export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as [EventTypeName, ...EventTypeName[]]; // the keys are known

/** One thing that happened, as its feature reports it. */
export type WebhookEvent = {
  [Type in EventTypeName]: { type: Type; data: z.input<(typeof EVENT_TYPES)[Type]['data']> };
}[EventTypeName];

/** The types that an endpoint gets only when its `event_types` name them. */
export const OPT_IN_TYPES: readonly EventTypeName[] = EVENT_TYPE_NAMES.filter(
  (name) => EVENT_TYPES[name].isOptIn,
);

/** The types that are stored only if an endpoint listens. */
export const LISTENER_TYPES: readonly EventTypeName[] = EVENT_TYPE_NAMES.filter(
  (name) => EVENT_TYPES[name].isForListeners,
);
