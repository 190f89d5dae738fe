import { describe, expect, test } from 'vitest';
import {
  type FakeAnswer,
  runCommand,
  type SeenRequest,
  startFakeService,
} from '#test/support/fake-service.ts';

const ID = '3f8b3c1e-0d5b-4a52-9c56-1f5f5a3d7e10';
const endpoint = {
  id: ID,
  url: 'https://example.com/hook',
  description: 'Shop\u001b[31m',
  event_types: null,
  enabled: true,
  health: {
    state: 'failing',
    failures: 3,
    last_success_at: null,
  },
};
const delivery = {
  id: 41,
  event_type: 'ping',
  endpoint_id: ID,
  status: 'waiting',
  attempts: 1,
  next_attempt_at: '2026-01-01T00:00:05.000Z',
  last_status_code: 500,
  error: 'The receiver answered 500.',
  created_at: '2026-01-01T00:00:00.000Z',
};
const failedAttempt = {
  outcome: 'failed',
  counts: true,
  status_code: 500,
  error: 'The receiver answered 500.',
  answer: 'out of\u001b[2J order',
  duration_ms: 12,
  started_at: '2026-01-01T00:00:00.000Z',
};
const goodAttempt = {
  ...failedAttempt,
  outcome: 'delivered',
  status_code: 204,
  error: null,
  answer: '',
};
const outage = {
  ...failedAttempt,
  counts: false,
  status_code: null,
  error: 'No network.',
  answer: null,
};

/** Answers by method and path, and with 404 to anything else. */
function script(answers: Record<string, FakeAnswer | ((n: number) => FakeAnswer)>) {
  const seen = new Map<string, number>();
  return ({ method, url }: SeenRequest): FakeAnswer => {
    const name = `${method} ${url.split('?')[0]}`;
    const answer = answers[name];
    const n = seen.get(name) ?? 0;
    seen.set(name, n + 1);
    const missing = { status: 404, json: { error_code: 'NOT_FOUND', detail: `No ${name}.` } };
    return typeof answer === 'function' ? answer(n) : (answer ?? missing);
  };
}

describe('webhooks list, create, rotate, enable and disable', () => {
  test('list prints one line per endpoint, without terminal control characters', async () => {
    const listed = { webhook_endpoints: [endpoint, { ...endpoint, enabled: false }], total: 2 };
    await using service = await startFakeService(
      script({ 'GET /webhook-endpoints': { json: listed } }),
    );
    const run = await runCommand(['webhooks', 'list'], { url: service.url });
    expect(run.code).toBe(0);
    const [, first, second] = run.stdout.split('\n');
    expect(first).toMatch(/https:\/\/example\.com\/hook +failing +3 +never +usual +Shop$/);
    expect(second).toMatch(/ disabled /);
    expect(run.stdout).not.toContain('\u001b');
  });

  test('create sends the filter and prints only the secret on stdout, once', async () => {
    await using service = await startFakeService(
      script({ 'POST /webhook-endpoints': { json: { ...endpoint, secret: 'whsec_abc=' } } }),
    );
    const words = ['webhooks', 'create', 'https://example.com/hook', '--description', 'Shop'];
    const run = await runCommand([...words, '--events', 'ping, document.indexed'], {
      url: service.url,
    });
    expect(run.code).toBe(0);
    expect(run.stdout).toBe('whsec_abc=\n');
    expect(run.stderr).toContain(ID);
    expect(run.stderr).not.toContain('whsec_abc=');
    expect(service.requests[0]?.body).toEqual({
      url: 'https://example.com/hook',
      event_types: ['ping', 'document.indexed'],
      description: 'Shop',
    });
  });

  test('create without a filter leaves it to the service, and shows a refusal', async () => {
    const detail = 'body.url: http:// is only for ranges that the operator has opened.';
    await using service = await startFakeService(
      script({
        'POST /webhook-endpoints': { status: 400, json: { error_code: 'BAD_REQUEST', detail } },
      }),
    );
    const run = await runCommand(['webhooks', 'create', 'http://10.0.0.1/'], { url: service.url });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(detail);
    expect(service.requests[0]?.body).toEqual({ url: 'http://10.0.0.1/' });
  });

  test.each([
    [[], {}],
    [['--grace', '0'], { grace_period_seconds: 0 }],
  ])('rotate %j prints only the new secret on stdout', async (words, body) => {
    await using service = await startFakeService(
      script({
        [`POST /webhook-endpoints/${ID}/rotate-secret`]: {
          json: { id: ID, secret: 'whsec_new=', previous_secret_valid_until: null },
        },
      }),
    );
    const run = await runCommand(['webhooks', 'rotate', ID, ...words], { url: service.url });
    expect(run).toMatchObject({ code: 0, stdout: 'whsec_new=\n' });
    expect(service.requests[0]?.body).toEqual(body);
  });

  test.each([
    ['enable', true],
    ['disable', false],
  ])('%s sets enabled to %s', async (word, enabled) => {
    await using service = await startFakeService(
      script({ [`PATCH /webhook-endpoints/${ID}`]: { json: { ...endpoint, enabled } } }),
    );
    const run = await runCommand(['webhooks', word, ID], { url: service.url });
    expect(run.code).toBe(0);
    expect(service.requests[0]?.body).toEqual({ enabled });
    expect(run.stdout).toContain(ID);
  });
});

describe('webhooks test', () => {
  const sent = {
    [`POST /webhook-endpoints/${ID}/test`]: {
      status: 202,
      json: { event_id: 'evt_1', delivery_id: 41, status_url: '/webhook-deliveries/41' },
    },
  };

  test('fails when the receiver refuses the ping, and shows its response', async () => {
    await using service = await startFakeService(
      script({
        ...sent,
        'GET /webhook-deliveries/41': { json: delivery },
        'GET /webhook-deliveries/41/attempts': { json: { attempts: [failedAttempt] } },
      }),
    );
    const run = await runCommand(['webhooks', 'test', ID], { url: service.url });
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('failed: answered 500 "out of order" in 12 ms');
    expect(run.stderr).toContain('delivery 41 is waiting');
  });

  test('waits for the attempt and shows it', async () => {
    const status = (n: number) => (n < 3 ? 'pending' : 'delivered');
    await using service = await startFakeService(
      script({
        ...sent,
        'GET /webhook-deliveries/41': (n) => ({ json: { ...delivery, status: status(n) } }),
        'GET /webhook-deliveries/41/attempts': { json: { attempts: [goodAttempt] } },
      }),
    );
    const run = await runCommand(['webhooks', 'test', ID], { url: service.url });
    expect(run.code).toBe(0);
    expect(run.waits).toEqual([500, 500, 500]);
    expect(run.stdout).toBe('2026-01-01T00:00:00.000Z delivered: answered 204 in 12 ms\n');
  });

  test.each([1, 2, 3, 4, 5, 6])(
    'sees an attempt that ends just before request %i',
    async (turn) => {
      let requests = 0;
      await using service = await startFakeService((request) => {
        requests += 1;
        const isDone = requests > turn;
        return script({
          ...sent,
          'GET /webhook-deliveries/41': {
            json: { ...delivery, status: isDone ? 'delivered' : 'delivering' },
          },
          'GET /webhook-deliveries/41/attempts': {
            json: { attempts: isDone ? [goodAttempt] : [] },
          },
        })(request);
      });
      const run = await runCommand(['webhooks', 'test', ID], { url: service.url });
      expect(run.code).toBe(0);
      expect(run.stdout).toContain('delivered: answered 204');
    },
  );

  test('gives up after 20 seconds without an attempt', async () => {
    await using service = await startFakeService(
      script({
        ...sent,
        'GET /webhook-deliveries/41': { json: { ...delivery, status: 'pending' } },
        'GET /webhook-deliveries/41/attempts': { json: { attempts: [] } },
      }),
    );
    const run = await runCommand(['webhooks', 'test', ID], { url: service.url });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('Are the workers running?');
    const waitedMs = run.waits.reduce((sum, one) => sum + one, 0);
    expect(waitedMs).toBeGreaterThanOrEqual(20_000);
    expect(waitedMs).toBeLessThan(21_000);
  });
});

describe('webhooks deliveries, attempts and resend', () => {
  test('deliveries passes on its filters and prints one line per delivery', async () => {
    await using service = await startFakeService(
      script({
        'GET /webhook-deliveries': { json: { deliveries: [delivery], next_cursor: 'b' } },
      }),
    );
    const words = `webhooks deliveries --endpoint ${ID} --status waiting --limit 5`.split(' ');
    const run = await runCommand(words, { url: service.url });
    expect(run.code).toBe(0);
    expect(run.stdout.split('\n')[1]).toMatch(/^41 .* ping .* waiting +1 +500 .*answered 500\.$/);
    const query = new URL(service.requests[0]?.url ?? '', service.url).searchParams;
    expect(Object.fromEntries(query)).toEqual({ endpoint_id: ID, status: 'waiting', limit: '5' });
  });

  test('attempts shows each attempt, and which ones did not count', async () => {
    await using service = await startFakeService(
      script({
        'GET /webhook-deliveries/41/attempts': { json: { attempts: [outage, goodAttempt] } },
      }),
    );
    const run = await runCommand(['webhooks', 'attempts', '41'], { url: service.url });
    expect(run.stdout.split('\n').slice(0, 2)).toEqual([
      '2026-01-01T00:00:00.000Z failed: no answer in 12 ms. No network. (does not count)',
      '2026-01-01T00:00:00.000Z delivered: answered 204 in 12 ms',
    ]);
  });

  test('resend requeues one delivery and says where to look', async () => {
    await using service = await startFakeService(
      script({ 'POST /webhook-deliveries/41/resend': { status: 202, json: delivery } }),
    );
    const run = await runCommand(['webhooks', 'resend', '41'], { url: service.url });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('webhooks attempts 41');
  });

  test('an id stays one path segment, whatever it contains', async () => {
    await using service = await startFakeService(script({}));
    const run = await runCommand(['webhooks', 'resend', '../api-keys?x'], { url: service.url });
    expect(run.code).toBe(1);
    expect(service.requests[0]?.url).toBe('/webhook-deliveries/..%2Fapi-keys%3Fx/resend');
  });
});
