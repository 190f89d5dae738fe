import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { withStatus } from '#src/api/reply.ts';
import { defineRoute } from '#src/api/route.ts';
import { accountRoutes } from '#src/api/routes/accounts.ts';
import { healthRoutes } from '#src/api/routes/health.ts';
import { workspaceRoutes } from '#src/api/routes/workspaces.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import { Problem, RetryLater } from '#src/platform/errors.ts';
import { bearer, BOOTSTRAP_KEY, openTestApi, type TestApi } from './api-harness.ts';

const shared = { method: 'GET', tag: 'Test', family: 'platform', scope: 'any' } as const;
const empty = z.object({});
const failures: Record<string, () => Error> = {
  bug: () => new TypeError('secret details'),
  pg: () => Object.assign(new Error('terminating connection'), { code: '57P01' }),
  socket: () =>
    new Error('query failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }),
  later: () => new RetryLater(2_500, 'The model is busy.'),
  conflict: () => new Problem('CONFLICT', 'Taken.'),
  text: () => Object.assign(new Error('invalid byte sequence'), { code: '22021' }),
};
let streamClosed = Promise.withResolvers<void>();

const testRoutes = [
  defineRoute({
    ...shared,
    path: '/things/{id}',
    summary: 'A thing',
    params: z.object({ id: z.string() }),
    query: z.object({ limit: z.coerce.number().int().min(1).optional() }),
    reply: z.object({ id: z.string(), framing: z.string() }),
    handle: ({ params, framing }) => ({ id: params.id, framing }),
  }),
  defineRoute({
    ...shared,
    path: '/things/stats',
    summary: 'All things',
    reply: z.object({ stats: z.boolean() }),
    handle: () => withStatus(202, { stats: true }),
  }),
  defineRoute({
    ...shared,
    path: '/service-api/thing',
    summary: 'Aliased',
    reply: empty,
    handle: () => ({}),
  }),
  defineRoute({
    ...shared,
    path: '/fail/{how}',
    summary: 'Fails',
    params: z.object({ how: z.string() }),
    reply: empty,
    handle: ({ params }) => {
      throw failures[params.how]?.() ?? new Error('unknown');
    },
  }),
  defineRoute({
    ...shared,
    path: '/stream',
    summary: 'Streams until the client goes',
    reply: z.string(),
    handle: ({ signal }) =>
      streamReply(
        'text/event-stream',
        (async function* () {
          try {
            for (;;) {
              yield 'data: {}\n\n';
              await delay(10, undefined, { signal });
            }
          } finally {
            streamClosed.resolve();
          }
        })(),
      ),
  }),
];

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi([...healthRoutes, ...accountRoutes, ...workspaceRoutes, ...testRoutes]);
});
afterAll(() => api[Symbol.asyncDispose]());

async function call(
  path: string,
  { key = BOOTSTRAP_KEY, ...init }: RequestInit & { key?: string } = {},
) {
  const headers = {
    ...(key === '' ? {} : bearer(key)),
    ...(init.headers as Record<string, string>),
  };
  const response = await fetch(api.url + path, { ...init, headers });
  const text = await response.text();
  return { response, status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function post(path: string, body: unknown, key = BOOTSTRAP_KEY) {
  const headers = { 'content-type': 'application/json' };
  return call(path, { method: 'POST', body: JSON.stringify(body), headers, key });
}

describe('routing', () => {
  it('prefers literal paths and decodes parameters exactly once', async () => {
    expect((await call('/things/stats')).status).toBe(202);
    expect((await call('/things/a%2Fb%252F%20c')).json.id).toBe('a/b%2F c');
    expect((await call('/things/%E2%82%AC')).json.id).toBe('€');
  });

  it.each(['/things/%', '/things/%ff', '/things/%00', '/things/a?limit=%00'])(
    'refuses the broken address %s with 400',
    async (path) => {
      const { status, json } = await call(path);
      expect([status, json.error_code]).toEqual([400, 'BAD_REQUEST']);
    },
  );

  it('names a wrong query parameter', async () => {
    expect((await call('/things/a?limit=0')).json.detail).toContain('query.limit');
    expect((await call('/things/a?limit=1&limit=2')).json.detail).toContain('query.limit');
  });

  it('knows every path under /api, where streams are bare lines', async () => {
    expect((await call('/api/things/x')).json.framing).toBe('lines');
    expect((await call('/things/x')).json.framing).toBe('sse');
    expect((await call('/apiary')).status).toBe(404);
  });

  it('serves /onyx-api as /service-api', async () => {
    expect((await call('/onyx-api/thing')).status).toBe(200);
    expect((await call('/api/onyx-api/thing')).status).toBe(200);
  });

  it('answers unknown paths with 404 and wrong methods with 405 and Allow', async () => {
    expect((await call('/nowhere')).json).toMatchObject({ error_code: 'NOT_FOUND' });
    const { status, headers, json } = await call('/account/api-keys', { method: 'PUT' });
    expect([status, json.error_code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'POST']);
    expect((await call('/health', { method: 'HEAD' })).status).toBe(200);
  });

  it('takes a sensible request id and replaces any other', async () => {
    const sent = await call('/health', { headers: { 'x-request-id': 'abc-1.2:3' } });
    expect(sent.headers.get('x-request-id')).toBe('abc-1.2:3');
    const bad = await call('/nowhere', { headers: { 'x-request-id': 'no spaces' } });
    expect(bad.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(bad.json.request_id).toBe(bad.headers.get('x-request-id'));
  });

  it('lets pages of any origin call, without credentials', async () => {
    const preflight = await call('/things/x', {
      method: 'OPTIONS',
      key: '',
      headers: {
        origin: 'https://a.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,x-thing',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization,x-thing');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    expect((await call('/nowhere')).headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('failures', () => {
  it('that nobody expected are 500, say nothing and are logged once with the stack', async () => {
    const { status, json, text } = await call('/fail/bug', {
      headers: { 'x-request-id': 'bug-1' },
    });
    expect([status, json.error_code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    expect(text).not.toContain('secret');
    const lines = api.logged.filter((line) => line.requestId === 'bug-1');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ route: '/fail/{how}', status: 500, method: 'GET' });
    expect(JSON.stringify(lines[0]?.failure)).toContain('api-app.test.ts');
  });

  it.each(['pg', 'socket'])('of the store (%s) are 503 with Retry-After', async (how) => {
    const { status, json, headers } = await call(`/fail/${how}`);
    expect([status, json.error_code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('keep their code, and a delay becomes Retry-After', async () => {
    expect((await call('/fail/conflict')).status).toBe(409);
    expect((await call('/fail/text')).status).toBe(400);
    const later = await call('/fail/later');
    expect([later.status, later.headers.get('retry-after')]).toEqual([503, '3']);
  });

  it('put no key into the log', async () => {
    await call('/fail/bug');
    expect(JSON.stringify(api.logged)).not.toContain(BOOTSTRAP_KEY);
  });
});

describe('keys', () => {
  it.each([
    [{}, 401],
    [{ authorization: 'Bearer' }, 401],
    [{ authorization: 'Bearer wrong' }, 401],
    [{ authorization: `Basic ${btoa(`x:${BOOTSTRAP_KEY}`)}` }, 401],
    [{ authorization: `bearer  ${BOOTSTRAP_KEY}` }, 200],
    [{ authorization: BOOTSTRAP_KEY }, 200],
    [{ authorization: 'Bearer wrong', 'x-onyx-authorization': `Bearer ${BOOTSTRAP_KEY}` }, 200],
    [{ authorization: `Bearer ${BOOTSTRAP_KEY}`, 'x-onyx-authorization': 'Bearer wrong' }, 401],
  ])('in the headers %j are answered with %i', async (headers, status) => {
    const answer = await call('/auth/verify', {
      key: '',
      headers: headers as Record<string, string>,
    });
    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer.json.error_code).toBe('UNAUTHENTICATED');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('can be made, seen without their text, and revoked', async () => {
    const made = await post('/account/api-keys', {
      name: ' CI ',
      role: 'ingest',
      expires_in_days: 30,
    });
    expect(made.status).toBe(200);
    expect(made.headers.get('cache-control')).toBe('no-store');
    expect(made.json).toMatchObject({
      name: 'CI',
      role: 'ingest',
      key: expect.stringMatching(/^mr_/),
    });
    const listed = await call('/account/api-keys');
    expect(listed.text).not.toContain(made.json.key);
    expect(listed.text).toContain(String(made.json.id));
    const path = `/account/api-keys/${String(made.json.id)}`;
    expect((await call(path, { method: 'DELETE' })).json).toEqual({
      status: 'deleted',
      id: made.json.id,
    });
    expect((await call(path, { method: 'DELETE' })).status).toBe(404);
    expect((await call('/account/api-keys/nope', { method: 'DELETE' })).status).toBe(400);
  });

  it.each([
    { name: '', role: 'read' },
    { name: 'a\0b', role: 'read' },
    { name: 'a', role: 'owner' },
    { name: 'a', role: 'read', expires_in_days: 0 },
  ])('are not made from %j', async (body) =>
    expect((await post('/account/api-keys', body)).status).toBe(400),
  );

  it('without the role are refused with the role that is needed', async () => {
    const key = await api.keyFor('member');
    const { status, json } = await call('/account/api-keys', { key });
    expect([status, json.error_code]).toEqual([403, 'UNAUTHORIZED']);
    expect(json.detail).toContain('role admin');
  });

  it('of other workspaces may not make workspaces', async () => {
    const made = await post('/manage/admin/workspaces', { name: 'Other' });
    const key = String(made.json.api_key);
    expect((await call('/auth/verify', { key })).json).toMatchObject({
      valid: true,
      plan: 'Free',
      rate_limit: 60,
      requests_used: 1,
    });
    expect((await post('/manage/admin/workspaces', { name: 'More' }, key)).status).toBe(403);
  });
});

describe('the rate limit', () => {
  it('counts per user account, with its state on every answer', async () => {
    const { apiKey: key } = await createWorkspace(api.db, { name: 'Busy', planTier: 'Free' });
    const answers = await Promise.all(
      Array.from({ length: 65 }, () => call('/auth/verify', { key })),
    );
    const passed = answers.filter((answer) => answer.status === 200);
    // A minute may begin in between; then a little more than the limit passes.
    expect(passed.length).toBeGreaterThanOrEqual(60);
    const refused = answers.find((answer) => answer.status === 429);
    if (!refused) return;
    expect(refused.json.error_code).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
    expect((await call('/things/x', { key })).status).toBe(200);
    expect((await call('/health', { key })).headers.get('x-ratelimit-limit')).toBeNull();
  });
});

describe('service endpoints', () => {
  it('answer without a key', async () => {
    for (const path of [
      '/',
      '/health',
      '/ready',
      '/version',
      '/metrics',
      '/openapi.json',
      '/docs',
    ]) {
      expect([path, (await call(path, { key: '' })).status]).toEqual([path, 200]);
    }
    expect((await call('/health')).json).toEqual({
      success: true,
      message: 'ok',
      data: null,
      status: 'ok',
    });
    expect((await call('/metrics')).text).toContain('millrace_http_request_duration_seconds');
  });

  it('say which part is missing when not ready', async () => {
    const producer = {
      openQueues: () => [],
      ping: () => Promise.reject(new Error('down')),
    } as never;
    await using broken = await openTestApi(healthRoutes, { overrides: { producer } });
    const response = await fetch(`${broken.url}/ready`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error_code: 'SERVICE_UNAVAILABLE',
      detail: expect.stringContaining('queue'),
    });
  });

  it('serve the reference page from allow-listed files alone', async () => {
    const page = await call('/docs');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/https?:\/\//);
    for (const [, asset] of page.text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      expect([asset, (await call(`/${asset}`)).status]).toEqual([asset, 200]);
    }
    expect((await call('/docs/assets/package.json')).status).toBe(404);
    expect((await call('/docs/assets/..%2Fpackage.json')).status).toBe(404);
    expect((await call('/docs/assets/constructor')).status).toBe(404);
  });
});

describe('streams', () => {
  it('stop when the client goes away', async () => {
    streamClosed = Promise.withResolvers();
    const controller = new AbortController();
    const response = await fetch(`${api.url}/stream`, {
      headers: bearer(BOOTSTRAP_KEY),
      signal: controller.signal,
    });
    expect(response.headers.get('cache-control')).toBe('no-cache');
    await response.body?.getReader().read();
    controller.abort();
    await streamClosed.promise;
  });
});
