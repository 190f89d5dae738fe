import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withStatus } from '#src/api/reply.ts';
import { defineRoute } from '#src/api/route.ts';
import { accountRoutes } from '#src/api/routes/accounts.ts';
import { healthRoutes } from '#src/api/routes/health.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import { Problem, RetryLater } from '#src/platform/errors.ts';
import { bearer, BOOTSTRAP_KEY, call, openTestApi, type TestApi } from './harness.ts';

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
  api = await openTestApi([...healthRoutes, ...accountRoutes, ...testRoutes]);
});
afterAll(() => api[Symbol.asyncDispose]());

const get = (path: string, init?: Parameters<typeof call>[2]) => call(api, path, init);

describe('routing', () => {
  it('prefers literal paths and decodes parameters exactly once', async () => {
    expect((await get('/things/stats')).status).toBe(202);
    expect((await get('/things/a%2Fb%252F%20c')).json.id).toBe('a/b%2F c');
    expect((await get('/things/%E2%82%AC')).json.id).toBe('€');
  });

  it.each(['/things/%', '/things/%ff', '/things/%00', '/things/a?limit=%00'])(
    'refuses the broken address %s with 400',
    async (path) => {
      const { status, json } = await get(path);
      expect([status, json.error_code]).toEqual([400, 'BAD_REQUEST']);
    },
  );

  it('names an invalid query parameter', async () => {
    expect((await get('/things/a?limit=0')).json.detail).toContain('query.limit');
    expect((await get('/things/a?limit=1&limit=2')).json.detail).toContain('query.limit');
  });

  it('serves every path under /api too, where streams are bare lines', async () => {
    expect((await get('/api/things/x')).json.framing).toBe('lines');
    expect((await get('/things/x')).json.framing).toBe('sse');
    expect((await get('/apiary')).status).toBe(404);
  });

  it('serves /onyx-api as /service-api', async () => {
    expect((await get('/onyx-api/thing')).status).toBe(200);
    expect((await get('/api/onyx-api/thing')).status).toBe(200);
  });

  it('answers unknown paths with 404 and wrong methods with 405 and Allow', async () => {
    expect((await get('/nowhere')).json).toMatchObject({ error_code: 'NOT_FOUND' });
    const { status, headers, json } = await get('/account/api-keys', { method: 'PUT' });
    expect([status, json.error_code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'POST']);
    expect((await get('/health', { method: 'HEAD' })).status).toBe(200);
  });

  it('accepts a valid request id and replaces any other', async () => {
    const sent = await get('/health', { headers: { 'x-request-id': 'abc-1.2:3' } });
    expect(sent.headers.get('x-request-id')).toBe('abc-1.2:3');
    const bad = await get('/nowhere', { headers: { 'x-request-id': 'no spaces' } });
    expect(bad.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(bad.json.request_id).toBe(bad.headers.get('x-request-id'));
  });

  it('allows calls from any origin, without credentials', async () => {
    const preflight = await get('/things/x', {
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
    expect((await get('/nowhere')).headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('failures', () => {
  it('that are unexpected return 500, reveal nothing and are logged once with the stack', async () => {
    const { status, json, text } = await get('/fail/bug', {
      headers: { 'x-request-id': 'bug-1' },
    });
    expect([status, json.error_code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    expect(text).not.toContain('secret');
    const lines = api.logged.filter((line) => line.requestId === 'bug-1');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ route: '/fail/{how}', status: 500, method: 'GET' });
    expect(JSON.stringify(lines[0]?.failure)).toContain('api/app.test.ts');
  });

  it.each(['pg', 'socket'])('of the store (%s) return 503 with Retry-After', async (how) => {
    const { status, json, headers } = await get(`/fail/${how}`);
    expect([status, json.error_code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('keep their code, and a delay becomes Retry-After', async () => {
    expect((await get('/fail/conflict')).status).toBe(409);
    expect((await get('/fail/text')).status).toBe(400);
    const later = await get('/fail/later');
    expect([later.status, later.headers.get('retry-after')]).toEqual([503, '3']);
  });

  it('log no key', async () => {
    await get('/fail/bug');
    expect(JSON.stringify(api.logged)).not.toContain(BOOTSTRAP_KEY);
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
      expect([path, (await get(path, { key: '' })).status]).toEqual([path, 200]);
    }
    expect((await get('/health')).json).toEqual({
      success: true,
      message: 'ok',
      data: null,
      status: 'ok',
    });
    expect((await get('/metrics')).text).toContain('millrace_http_request_duration_seconds');
  });

  it('name the missing part when not ready', async () => {
    const producer = {
      openQueues: () => [],
      ping: () => Promise.reject(new Error('down')),
    } as never;
    await using broken = await openTestApi(healthRoutes, {
      overrides: { producer },
      database: api.db,
    });
    const response = await fetch(`${broken.url}/ready`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error_code: 'SERVICE_UNAVAILABLE',
      detail: expect.stringContaining('queue') as unknown,
    });
  });

  it('serve the reference page only from allow-listed files', async () => {
    const page = await get('/docs');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/https?:\/\//);
    for (const [, asset] of page.text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      expect([asset, (await get(`/${asset}`)).status]).toEqual([asset, 200]);
    }
    expect((await get('/docs/assets/package.json')).status).toBe(404);
    expect((await get('/docs/assets/..%2Fpackage.json')).status).toBe(404);
    expect((await get('/docs/assets/constructor')).status).toBe(404);
  });
});

describe('streams', () => {
  it('stop when the client disconnects', async () => {
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
