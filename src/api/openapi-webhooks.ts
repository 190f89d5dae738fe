import { z } from 'zod';
import { EVENT_TYPE_NAMES, EVENT_TYPES, type EventTypeName } from '#src/webhooks/event-types.ts';

type Json = { [key: string]: unknown };

/** The `webhooks` section of the description: what is posted to a workspace's endpoints, by event type. */
export function describeWebhooks(): Json {
  return Object.fromEntries(EVENT_TYPE_NAMES.map((type) => [type, { post: delivery(type) }]));
}

function delivery(type: EventTypeName): Json {
  return {
    operationId: operationId(type),
    tags: ['Webhooks'],
    summary: EVENT_TYPES[type].summary,
    description: whoGetsIt(type),
    // The receiver checks a signature; no API key is sent to it.
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: envelope(type) } },
    },
    responses: RESPONSES,
  };
}

function whoGetsIt(type: EventTypeName): string {
  if (type === 'ping') return 'Sent to the endpoint that is tested, whatever its `event_types`.';
  if (EVENT_TYPES[type].isOptIn) return 'Sent only to endpoints whose `event_types` name it.';
  return 'Sent to endpoints without `event_types`, and to those that name it.';
}

/** `customer.subscription.deleted` → `receiveCustomerSubscriptionDeleted` */
function operationId(type: EventTypeName): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `receive${words.join('')}`;
}

const HEADERS: readonly Json[] = [
  header(
    'webhook-id',
    'The id of the event, the same on every attempt. A receiver that has seen it does nothing and answers 2xx.',
    { type: 'string', examples: ['evt_0f8c4a6e2b7d4c1f9a3e5d7b6c8a1f20'] },
  ),
  header('webhook-timestamp', 'When this attempt was made, in Unix seconds.', {
    type: 'string',
    pattern: '^[0-9]+$',
    examples: ['1614265330'],
  }),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` under the decoded secret. During a rotation one for each secret, parted by spaces.',
    { type: 'string', examples: ['v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='] },
  ),
  header(
    'x-signature',
    'The lower-case hex HMAC-SHA256 of the raw body under the secret as it is displayed, `whsec_` included.',
    { type: 'string', pattern: '^[0-9a-f]{64}$' },
  ),
];

function header(name: string, description: string, schema: Json): Json {
  return { name, in: 'header', required: true, description, schema };
}

const RESPONSES: Json = {
  '2XX': { description: 'Delivered. Any status from 200 to 299 alone is success.' },
  410: { description: 'The endpoint is gone: it is disabled, and nothing more is sent to it.' },
  429: {
    description:
      'Tried again later, like after any other answer. `Retry-After` is honoured up to twice the usual delay.',
    headers: {
      'Retry-After': { description: 'Seconds, or an HTTP date.', schema: { type: 'string' } },
    },
  },
  default: {
    description:
      'Not delivered: tried again, 10 attempts in all. Redirects count as failures and are not followed.',
  },
};

function envelope(type: EventTypeName): Json {
  return {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The same as `webhook-id`.' },
      type: { const: type },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      data: dataSchema(type),
    },
    required: ['id', 'type', 'timestamp', 'data'],
  };
}

/** As a receiver should read it: it must accept unknown fields, because fields may be added. */
function dataSchema(type: EventTypeName): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(EVENT_TYPES[type].data, {
    io: 'input',
    override({ jsonSchema }) {
      // zod adds JavaScript's integer bounds and the pattern of date-time: both are noise.
      if (jsonSchema.type === 'integer') {
        delete jsonSchema.minimum;
        delete jsonSchema.maximum;
      }
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  return schema;
}
