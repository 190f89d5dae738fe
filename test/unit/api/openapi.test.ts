import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { documentationRoutes } from '#src/api/documentation.ts';
import { describeApi } from '#src/api/openapi.ts';
import { defineRoute } from '#src/api/route.ts';
import { ROUTES } from '#src/api/routes/index.ts';
import { EVENT_TYPE_NAMES, EVENT_TYPES, OPT_IN_TYPES } from '#src/webhooks/event-types.ts';

interface Described {
  openapi: string;
  paths: Record<
    string,
    Record<string, { operationId: string; parameters: { name: string; in: string }[] }>
  >;
  webhooks: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, unknown>; responses: Record<string, unknown> };
}

const routes = [...ROUTES, ...documentationRoutes(ROUTES)];
const describeRoutes = async (described = routes) =>
  (await describeApi(described, { version: '1', serverUrl: '/' })) as unknown as Described;

describe('the API description', () => {
  it('contains every route once, each with its own operationId', async () => {
    const { openapi, paths } = await describeRoutes();
    expect(openapi).toBe('3.1.0');
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.toSorted()).toEqual(
      routes.map((route) => `${route.method} ${route.path}`).toSorted(),
    );
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((operation) => operation.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describes every parameter of every path', async () => {
    const { paths } = await describeRoutes();
    for (const [path, methods] of Object.entries(paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
      for (const operation of Object.values(methods)) {
        const described = operation.parameters.filter((parameter) => parameter.in === 'path');
        expect(described.map((parameter) => parameter.name).toSorted()).toEqual(names.toSorted());
      }
    }
  });

  it('combines no schemas that rule each other out', async () => {
    const joined: unknown[] = [];
    JSON.stringify(await describeRoutes(), (key, value: unknown) => {
      if (key === 'allOf') joined.push(value);
      return value;
    });
    expect(
      joined.filter((one) => JSON.stringify(one).includes('"additionalProperties":false')),
    ).toEqual([]);
  });

  it('refers only to schemas it contains', async () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const recursive = defineRoute({
      method: 'POST',
      path: '/trees',
      summary: 'Recursive',
      tag: 'Test',
      family: 'platform',
      scope: 'any',
      body: tree,
      reply: z.object({ forest: z.array(tree) }),
      handle: () => ({ forest: [] }),
    });
    const document = await describeRoutes([...routes, recursive]);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, one]) => one,
    );
    expect(references.length).toBeGreaterThan(3);
    const { schemas, responses } = document.components;
    const known = Object.entries({ schemas, responses }).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
    );
    expect(references.filter((reference) => !known.includes(reference ?? ''))).toEqual([]);
  });
});

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

/** What OpenAPI 3.1 requires of a Path Item under `webhooks`, and what a receiver needs to find in it. */
const headerParameter = z.strictObject({
  name: z.string(),
  in: z.literal('header'),
  required: z.literal(true),
  description: z.string().min(1),
  schema: z.looseObject({ type: z.literal('string') }),
});
const describedDelivery = z.strictObject({
  post: z.strictObject({
    operationId: z.string().regex(/^receive[A-Za-z]+$/),
    tags: z.array(z.string()),
    summary: z.string().min(1),
    description: z.string().min(1),
    security: z.tuple([]),
    parameters: z.array(headerParameter),
    requestBody: z.strictObject({
      required: z.literal(true),
      content: z.strictObject({
        'application/json': z.strictObject({
          schema: z.looseObject({
            properties: z.looseObject({ data: z.looseObject({ type: z.literal('object') }) }),
          }),
        }),
      }),
    }),
    responses: z.record(
      z.string().regex(/^([1-5]\d\d|[1-5]XX|default)$/),
      z.strictObject({
        description: z.string().min(1),
        headers: z.record(z.string(), z.looseObject({ schema: z.unknown() })).optional(),
      }),
    ),
  }),
});

/** One event of each type as posted; `satisfies` requires an example for each new type. */
const run = {
  cc_pair_id: 2,
  name: 'Handbook',
  source: 'web',
  index_attempt_id: 7,
  documents_fetched: 4,
  documents_accepted: 2,
  documents_unchanged: 1,
  documents_skipped: 1,
  documents_failed: 0,
  started_at: null,
  finished_at: '2026-01-01T00:00:00.000Z',
};
const document = { document_id: 'a', semantic_identifier: 'A', source: 'ingestion_api' };
const alarm = {
  alarm_id: '1',
  queue: 'lead-scrape',
  kind: 'no_worker' as const,
  message: 'No worker serves lead-scrape.',
  since: '2026-01-01T00:00:00.000Z',
  raised_at: '2026-01-01T00:00:30.000Z',
};

const EXAMPLES = {
  'checkout.session.completed': {
    session_id: 'cs_1',
    customer_email: 'ada@example.com',
    plan_tier: 'Pro',
    amount_total: 5_900,
    currency: 'usd',
  },
  'customer.subscription.deleted': {
    subscription_id: 'sub_1',
    customer_email: 'ada@example.com',
    cancellation_reason: 'cancellation_requested',
    effective_date: '2026-01-01T00:00:00.000Z',
  },
  'document.indexed': { documents: [{ ...document, chunk_count: 3 }], count: 1 },
  'document.failed': { documents: [{ ...document, error: 'It is empty.' }], count: 1 },
  'connector.sync.completed': { ...run, status: 'success' },
  'connector.sync.failed': { ...run, error: 'The source answered 401.', paused: true },
  'lead_scrape.completed': {
    scrape_id: '1',
    status: 'completed',
    total_results: 25,
    processing_time_ms: 900,
  },
  'email_account.verified': { email_account_id: '1', email: 'ada@example.com' },
  'email_message.bounced': {
    email_message_id: '1',
    email_account_id: '1',
    cause: 'no_such_address',
    status_code: '5.1.1',
    do_not_contact: true,
  },
  'email_message.complained': {
    email_message_id: '1',
    email_account_id: '1',
    cause: 'complaint',
    status_code: null,
    do_not_contact: true,
  },
  'webhook.endpoint.disabled': {
    endpoint_id: '1',
    url: 'https://example.com/hook',
    description: '',
    reason: 'It answered 410.',
    failing_since: null,
    failures: 1,
  },
  'ops.alarm.raised': alarm,
  'ops.alarm.cleared': { ...alarm, cleared_at: '2026-01-01T00:05:00.000Z' },
  ping: { endpoint_id: '1', message: 'Hello' },
} satisfies { [Type in keyof typeof EVENT_TYPES]: z.input<(typeof EVENT_TYPES)[Type]['data']> };

const { webhooks } = await describeRoutes();

describe('webhooks in the API description', () => {
  it('contain every event type exactly once', () => {
    expect(Object.keys(webhooks)).toEqual(EVENT_TYPE_NAMES);
  });

  it.each(EVENT_TYPE_NAMES)(
    'describe %s as OpenAPI requires, with headers and responses',
    (type) => {
      const { post } = describedDelivery.parse(webhooks[type]);
      expect(post.parameters.map(({ name }) => name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
        'x-signature',
      ]);
      expect(Object.keys(post.responses)).toEqual(
        expect.arrayContaining(['2XX', '410', 'default']),
      );
      expect(post.description.includes('only')).toBe(OPT_IN_TYPES.includes(type));
    },
  );

  it('share no operationId with a route', async () => {
    const { paths } = await describeRoutes();
    const ids = [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) =>
      Object.values(methods).map((operation) => (operation as { operationId: string }).operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(EVENT_TYPE_NAMES)(
    'accept a posted %s, and reject it without any of its fields',
    (type) => {
      const { post } = describedDelivery.parse(webhooks[type]);
      // describedDelivery has checked that it is an object; z.fromJSONSchema refuses an invalid schema
      const schema = z.fromJSONSchema(
        post.requestBody.content['application/json'].schema as JsonSchema,
      );
      const data: Record<string, unknown> = EXAMPLES[type];
      const event = { id: 'evt_1', type, timestamp: '2026-01-01T00:00:00.000Z', data };
      expect(schema.safeParse(event).error).toBeUndefined();
      expect(schema.safeParse({ ...event, data: { ...data, added_later: 1 } }).success).toBe(true);
      expect(schema.safeParse({ ...event, type: 'other' }).success).toBe(false);
      for (const field of Object.keys(EVENT_TYPES[type].data.shape)) {
        const { [field]: _, ...rest } = data;
        expect(schema.safeParse({ ...event, data: rest }).success, field).toBe(false);
      }
      for (const field of Object.keys(event)) {
        const { [field]: _, ...rest } = event as Record<string, unknown>;
        expect(schema.safeParse(rest).success, field).toBe(false);
      }
    },
  );

  it('are plain JSON without references or meaningless bounds', () => {
    expect(JSON.parse(JSON.stringify(webhooks))).toEqual(webhooks);
    expect(JSON.stringify(webhooks)).not.toMatch(/\$ref|\$defs|9007199254740991/);
  });
});
