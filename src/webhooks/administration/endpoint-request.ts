import { z } from 'zod';
import { EVENT_TYPE_NAMES, OPT_IN_TYPES } from '#src/webhooks/event-types.ts';
import { MAX_URL_LENGTH } from '#src/webhooks/vet-endpoint-url.ts';
import { timestamp } from './timestamp.ts';

const MAX_EVENT_TYPES = 100;
const MAX_RATE = 100_000;
const MAX_GRACE_SECONDS = 604_800;
const DEFAULT_GRACE_SECONDS = 86_400;

/** Distinct event type names. The error names one unknown type and lists the known ones. */
const eventTypes = z
  .array(z.string().meta({ enum: [...EVENT_TYPE_NAMES] }))
  .min(1, 'must name at least one event type; null stands for all that need not be named')
  .max(MAX_EVENT_TYPES)
  .superRefine((names, context) => {
    const index = names.findIndex((name) => !isKnown(name));
    if (index === -1) return;
    context.addIssue({
      code: 'custom',
      path: [index],
      message: `${JSON.stringify(names[index]?.slice(0, 100))} is not an event type. The event types are ${EVENT_TYPE_NAMES.join(', ')}`,
    });
  })
  .transform((names) => [...new Set(names)]);

function isKnown(name: string): boolean {
  return EVENT_TYPE_NAMES.some((known) => known === name);
}

const fields = {
  url: z
    .string()
    .max(MAX_URL_LENGTH)
    .describe(
      'https://, any port, no user name, no fragment. http:// only for ranges that the operator has opened. Redirects are never followed.',
    ),
  description: z
    .string()
    .max(500)
    .refine((text) => !/\0|\p{Cs}/u.test(text), 'must not hold NUL or half surrogate pairs')
    .nullish(),
  event_types: eventTypes
    .nullish()
    .describe(
      `What the endpoint gets; null for everything but ${OPT_IN_TYPES.join(' and ')}, which must be named.`,
    ),
  enabled: z.boolean().optional(),
  rate_limit: z
    .int()
    .min(1)
    .max(MAX_RATE)
    .nullish()
    .describe('Deliveries a minute; null for no limit.'),
};

export const newEndpointSchema = z.strictObject(fields).meta({ id: 'NewWebhookEndpoint' });
export type NewEndpoint = z.output<typeof newEndpointSchema>;

/** Omitted fields stay unchanged. */
export const endpointChangeSchema = newEndpointSchema
  .partial()
  .meta({ id: 'WebhookEndpointChange' });
export type EndpointChange = z.output<typeof endpointChangeSchema>;

export const rotationSchema = z
  .strictObject({
    grace_period_seconds: z
      .int()
      .min(0)
      .max(MAX_GRACE_SECONDS)
      .default(DEFAULT_GRACE_SECONDS)
      .describe('How long the secret before this one signs, too; 0 ends it at once.'),
  })
  .nullish()
  .transform((value) => ({
    gracePeriodSeconds: value?.grace_period_seconds ?? DEFAULT_GRACE_SECONDS,
  }));

export const recoverySchema = z
  .strictObject({
    since: timestamp.describe('Events from then on, as far back as events are kept.'),
    until: timestamp.nullish().describe('Events before then; now unless told.'),
    event_types: eventTypes.nullish().describe('Only events of these types.'),
    dry_run: z.boolean().default(false).describe('Count only.'),
  })
  .transform((value) => ({
    since: value.since,
    until: value.until ?? null,
    eventTypes: value.event_types ?? null,
    isDryRun: value.dry_run,
  }));
export type RecoveryRequest = z.output<typeof recoverySchema>;

/** For requests that need no body. */
export const emptyBodySchema = z.strictObject({}).nullish();
