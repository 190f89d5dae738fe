import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPE_NAMES } from '#src/webhooks/event-types.ts';
import {
  PUBLIC_URL,
  startWebhookStage,
  type WebhookStage,
  type WebhookTenant,
} from '#test/support/webhook-tenant.ts';

const PATH = '/webhook-endpoints';

let stage: WebhookStage;
let owner: WebhookTenant;
let stranger: WebhookTenant;
beforeAll(async () => {
  stage = await startWebhookStage();
  owner = await stage.openTenant();
  stranger = await stage.openTenant();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface StoredSecrets {
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Date | null;
}

async function stored(id: string): Promise<StoredSecrets> {
  const { rows } = await sql<StoredSecrets>`
    select secret, previous_secret, previous_secret_until from webhook_endpoint
    where id = ${id}`.execute(stage.millrace.services.db);
  const [row] = rows;
  if (!row) throw new Error(`Endpoint ${id} does not exist.`);
  return row;
}

const unseal = (sealed: string, id: string): string =>
  stage.millrace.services.secrets.open(sealed, `webhook_endpoint:${id}`);

describe('a request for a webhook endpoint', () => {
  it.each<[string, unknown, string]>([
    ['no URL', { description: 'x' }, 'body.url'],
    ['a URL that is not a string', { url: 5 }, 'body.url'],
    ['a private address', { url: 'https://10.0.0.1/' }, 'cannot be reached'],
    ['a private address in disguise', { url: 'https://0x0a.1/' }, 'cannot be reached'],
    ['http to a public address', { url: 'http://93.184.216.34/' }, 'Use https://'],
    ['credentials', { url: 'https://a:b@93.184.216.34/' }, 'user name'],
    ['a fragment', { url: `${PUBLIC_URL}#a` }, 'fragment'],
    ['http to an unknown name', { url: 'http://nobody.invalid/' }, 'Use https://'],
    ['a URL of 2,001 characters', { url: `${PUBLIC_URL}/`.padEnd(2_001, 'x') }, 'body.url'],
    ['an unknown key', { url: PUBLIC_URL, secret: 'whsec_mine' }, '"secret"'],
    ['no event types', { url: PUBLIC_URL, event_types: [] }, 'at least one event type'],
    ['an unknown event type', { url: PUBLIC_URL, event_types: ['ping', 'pong'] }, '"pong" is no'],
    [
      'event types that are not a list',
      { url: PUBLIC_URL, event_types: 'ping' },
      'body.event_types',
    ],
    ['a rate of 0', { url: PUBLIC_URL, rate_limit: 0 }, 'body.rate_limit'],
    ['a rate of 100,001', { url: PUBLIC_URL, rate_limit: 100_001 }, 'body.rate_limit'],
    ['a rate of 1.5', { url: PUBLIC_URL, rate_limit: 1.5 }, 'body.rate_limit'],
    ['a string for enabled', { url: PUBLIC_URL, enabled: 'yes' }, 'body.enabled'],
    ['a NUL', { url: PUBLIC_URL, description: 'a\0b' }, 'body.description'],
    ['half a surrogate pair', { url: PUBLIC_URL, description: '\uD800' }, 'body.description'],
  ])('with %s is refused and creates nothing', async (_, body, words) => {
    const tenant = await stage.openTenant();
    const refused = await tenant.call('POST', PATH, body);
    expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.detail).toContain(words);
    expect((await tenant.call('GET', PATH)).body).toEqual({
      webhook_endpoints: [],
      total: 0,
    });
  });

  it('with an unknown event type is refused with the known ones', async () => {
    const { body } = await owner.call('POST', PATH, {
      url: PUBLIC_URL,
      event_types: ['x'.repeat(999)],
    });
    for (const name of EVENT_TYPE_NAMES) expect(body.detail).toContain(name);
    expect(body.detail).toContain('body.event_types[0]');
    expect(body.detail.length).toBeLessThan(600);
  });

  it('is answered with the endpoint and its secret, which is never shown again', async () => {
    const made = await owner.createEndpoint({
      description: 'Orders',
      rate_limit: 100_000,
      event_types: null,
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      url: PUBLIC_URL,
      description: 'Orders',
      event_types: null,
      enabled: true,
      rate_limit: 100_000,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      disabled_reason: null,
      disabled_at: null,
      previous_secret_valid_until: null,
      health: {
        state: 'healthy',
        failing_since: null,
        failures: 0,
        last_success_at: null,
        last_failure_at: null,
        next_probe_at: null,
      },
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    });
    const { secret, ...shown } = made;
    const { body } = await owner.call('GET', `${PATH}/${made.id.toUpperCase()}`);
    expect(body).toEqual(shown);
    const listed = await owner.call('GET', PATH);
    expect(listed.body.webhook_endpoints).toContainEqual(shown);
    expect(listed.body.total).toBe(listed.body.webhook_endpoints.length);
    expect(listed.text).not.toContain('whsec_');
    const sealed = (await stored(made.id)).secret;
    expect(sealed).not.toContain(secret);
    expect(unseal(sealed, made.id)).toBe(secret);
  });

  it('may create a disabled one, and removes duplicate event types', async () => {
    const made = await owner.createEndpoint({
      enabled: false,
      event_types: ['ping', 'document.failed', 'ping'],
    });
    expect(made).toMatchObject({
      enabled: false,
      event_types: ['ping', 'document.failed'],
      disabled_reason: expect.any(String),
      disabled_at: expect.any(String),
      health: { state: 'disabled' },
    });
  });

  it('is refused above 50 per workspace, however many come at once', async () => {
    const [tenant, other] = [await stage.openTenant(), await stage.openTenant()];
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => tenant.call('POST', PATH, { url: PUBLIC_URL })),
    );
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect([statuses.get(200)?.length, statuses.get(409)?.length]).toEqual([50, 10]);
    expect(statuses.get(409)?.[0]?.body.error_code).toBe('CONFLICT');
    expect(statuses.get(409)?.[0]?.body.detail).toContain('Delete one');
    expect((await tenant.call('GET', PATH)).body.total).toBe(50);
    await tenant.call('DELETE', `${PATH}/${statuses.get(200)?.[0]?.body.id}`);
    await tenant.createEndpoint();
    await other.createEndpoint();
  });
});

const WHOLE: [string, string, unknown][] = [
  ['GET', '', undefined],
  ['PATCH', '', { description: 'Mine', enabled: false, url: 'https://93.184.216.35/' }],
  ['POST', '/rotate-secret', { grace_period_seconds: 0 }],
  ['POST', '/test', {}],
  ['POST', '/recover', { since: new Date().toISOString() }],
  ['DELETE', '', undefined],
];

describe('another workspace’s webhook endpoint', () => {
  it.each(WHOLE)('%s …%s is 404 and changes nothing', async (method, suffix, body) => {
    const { id } = await owner.createEndpoint();
    const before = [await stored(id), (await owner.call('GET', `${PATH}/${id}`)).body];
    const answer = await stranger.call(method, `${PATH}/${id}${suffix}`, body);
    expect([answer.status, answer.body.error_code]).toEqual([404, 'NOT_FOUND']);
    expect([await stored(id), (await owner.call('GET', `${PATH}/${id}`)).body]).toEqual(before);
    expect((await stranger.call('GET', PATH)).text).not.toContain(id);
    await owner.call('DELETE', `${PATH}/${id}`);
  });

  it.each([
    '1',
    'null',
    'evt_x',
    '%F0%9F%92%A9',
    '00000000-0000-0000-0000-00000000000g',
    randomUUID(),
  ])('by the id %s is 404', async (id) => {
    for (const [method, suffix, body] of WHOLE) {
      const { status } = await owner.call(method, `${PATH}/${id}${suffix}`, body);
      expect(status, `${method} ${suffix}`).toBe(404);
    }
  });
});

describe('a deleted webhook endpoint', () => {
  it('is 404 everywhere and has no secrets; waiting deliveries are canceled and stay readable', async () => {
    const id = await owner.silentEndpoint();
    const path = `${PATH}/${id}`;
    await owner.call('POST', `${path}/rotate-secret`, {});
    const { body: sent } = await owner.call('POST', `${path}/test`, {});
    const deleted = await owner.call('DELETE', path);
    expect([deleted.status, deleted.body]).toEqual([200, { status: 'deleted', id }]);
    expect(await stored(id)).toMatchObject({ secret: '', previous_secret: null });
    for (const [method, suffix, body] of WHOLE) {
      const { status } = await owner.call(method, `${path}${suffix}`, body);
      expect(status, `${method} ${suffix}`).toBe(404);
    }
    expect((await owner.call('GET', PATH)).text).not.toContain(id);
    expect((await owner.call('GET', sent.status_url)).body).toMatchObject({
      status: 'canceled',
      error: expect.stringContaining('deleted'),
    });
    const listed = await owner.call('GET', `/webhook-deliveries?endpoint_id=${id}`);
    expect(listed.body.deliveries).toMatchObject([{ id: sent.delivery_id }]);
    const resent = await owner.call('POST', `${sent.status_url}/resend`);
    expect([resent.status, resent.body.error_code]).toEqual([409, 'CONFLICT']);
    expect(resent.body.detail).toContain('deleted');
  });
});
