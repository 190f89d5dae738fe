import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { startTcpServer } from '#test/support/tcp-server.ts';
import { until } from '#test/support/until.ts';
import {
  type Behaviour,
  startReceiver,
  type WebhookReceiver,
} from '#test/support/webhook-receiver.ts';
import {
  type AttemptRow,
  attemptsTo,
  deliveriesTo,
  type DeliveryRow,
  insertEndpoint,
  sendPings,
} from '#test/support/webhook-rows.ts';

/** A receiver's behaviour and the expected outcome. `answer` is the beginning of the stored answer. */
interface Case {
  behaviour: Behaviour;
  status: 'delivered' | 'waiting';
  code: number | null;
  errorClass: string | null;
  answer?: string | null;
  /** Bounds for the duration of the attempt. */
  seconds?: [from: number, to: number];
}

const ok = { status: 'delivered', errorClass: null } as const;
const failed = { status: 'waiting', errorClass: 'http_status' } as const;
const lost = { status: 'waiting', code: null, errorClass: 'connection', answer: null } as const;
const GIGABYTE = 1_000_000_000;
const TIMEOUT: [number, number] = [14.5, 90];

const CASES: Record<string, Case> = {
  '200 with a body': {
    behaviour: { kind: 'answer', status: 200, body: 'Thanks!' },
    ...ok,
    code: 200,
    answer: 'Thanks!',
  },
  '299': { behaviour: { kind: 'answer', status: 299 }, ...ok, code: 299, answer: '' },
  '202 after hints': {
    behaviour: {
      kind: 'raw',
      text: 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 202 Ok\r\nContent-Length: 2\r\n\r\nok',
    },
    ...ok,
    code: 202,
    answer: 'ok',
  },
  '200 with bytes that are no text': {
    behaviour: { kind: 'answer', status: 200, body: Buffer.from('a\0b\xff\xfec', 'latin1') },
    ...ok,
    code: 200,
    answer: 'ab\u{FFFD}\u{FFFD}c',
  },
  '200 with 60 KB that are no text': {
    behaviour: { kind: 'answer', status: 200, body: Buffer.alloc(60_000, 0xff) },
    ...ok,
    code: 200,
  },
  '200 whose compression is damaged': {
    behaviour: {
      kind: 'answer',
      status: 200,
      headers: { 'content-encoding': 'gzip' },
      body: 'plain',
    },
    ...ok,
    code: 200,
    answer: '',
  },
  '200 that unpacks to 100 MB': {
    behaviour: {
      kind: 'answer',
      status: 200,
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(Buffer.alloc(100_000_000, 'x')).subarray(0, 50_000),
    },
    ...ok,
    code: 200,
    answer: 'xxx',
  },
  '200 that breaks off': {
    behaviour: { kind: 'raw', text: 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf' },
    ...ok,
    code: 200,
    answer: 'half',
  },
  '200 and 1 GB': {
    behaviour: { kind: 'large-body', bytes: GIGABYTE },
    ...ok,
    code: 200,
    answer: 'xxx',
    seconds: [0, 14],
  },
  '200 and a body byte by byte': {
    behaviour: { kind: 'slow-body', everyMs: 500 },
    ...ok,
    code: 200,
    answer: 'xxx',
    seconds: TIMEOUT,
  },
  '503 and a body byte by byte': {
    behaviour: { kind: 'slow-body', everyMs: 500, status: 503 },
    ...failed,
    code: 503,
    seconds: TIMEOUT,
  },
  '500': {
    behaviour: { kind: 'answer', status: 500, body: 'Boom' },
    ...failed,
    code: 500,
    answer: 'Boom',
  },
  '404': { behaviour: { kind: 'answer', status: 404 }, ...failed, code: 404 },
  'no answer': {
    behaviour: { kind: 'hang' },
    ...lost,
    errorClass: 'timeout',
    seconds: TIMEOUT,
  },
  'headers byte by byte': {
    behaviour: { kind: 'slow-headers', everyMs: 500 },
    ...lost,
    errorClass: 'timeout',
    seconds: TIMEOUT,
  },
  'a reset before the body is read': { behaviour: { kind: 'reset-early' }, ...lost },
  'a reset after the body was read': { behaviour: { kind: 'reset-late' }, ...lost },
  'the end of the connection': { behaviour: { kind: 'close' }, ...lost },
  'half a head': { behaviour: { kind: 'raw', text: 'HTTP/1.1 200 OK\r\nContent-Ty' }, ...lost },
  'no HTTP': { behaviour: { kind: 'raw', text: 'SSH-2.0-OpenSSH_9.7\r\n' }, ...lost },
  '50 KB of headers': {
    behaviour: { kind: 'answer', status: 200, headers: { 'x-long': 'y'.repeat(50_000) } },
    ...lost,
  },
};

let millrace: TestMillrace;
let workspaceId: WorkspaceId;
let receiver: WebhookReceiver;
let elsewhere: WebhookReceiver;
const opened = new AsyncDisposableStack();
const endpoints = new Map<string, WebhookEndpointId>();
/** Attempts at the hanging receiver when the healthy one got its first delivery. */
let hangingAttempts: readonly AttemptRow[] | null = null;
let grownBytes = 0;

beforeAll(async () => {
  millrace = opened.use(await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' }));
  // The API returns an untyped id.
  workspaceId = (await millrace.createWorkspace()).workspaceId as WorkspaceId;
  receiver = opened.use(await startReceiver());
  elsewhere = opened.use(await startReceiver());
  receiver.behave = (path) =>
    CASES[decodeURIComponent(path.slice(1))]?.behaviour ?? { kind: 'answer' };
  const before = process.memoryUsage().rss;
  for (const name of Object.keys(CASES)) await start(name, `${receiver.url}/${encodeURI(name)}`);
  const { services } = millrace;
  const healthy = await insertEndpoint(services, workspaceId, `${elsewhere.url}/healthy`);
  for (let index = 1; index <= 20; index += 1) {
    await sendPings(services, workspaceId, healthy.id);
    await until(() => Promise.resolve(elsewhere.requestsTo('/healthy').length >= index));
    hangingAttempts ??= await attemptsTo(services, idOf('no answer'));
    grownBytes = Math.max(grownBytes, process.memoryUsage().rss - before);
  }
});
afterAll(() => opened.disposeAsync());

async function start(name: string, url: string): Promise<void> {
  const { id } = await insertEndpoint(millrace.services, workspaceId, url);
  endpoints.set(name, id);
  await sendPings(millrace.services, workspaceId, id);
}

function idOf(name: string): WebhookEndpointId {
  const id = endpoints.get(name);
  if (id === undefined) throw new Error(`No endpoint was started as ${name}.`);
  return id;
}

/** The first attempt at the endpoint registered under this name. */
async function firstAttempt(name: string): Promise<{ attempt: AttemptRow; delivery: DeliveryRow }> {
  const id = idOf(name);
  await until(async () => (await attemptsTo(millrace.services, id)).length > 0);
  const [attempt] = await attemptsTo(millrace.services, id);
  const [delivery] = await deliveriesTo(millrace.services, id);
  if (!attempt || !delivery) throw new Error(`The endpoint ${name} has no attempt.`);
  return { attempt, delivery };
}

describe('a receiver that answers with', () => {
  it.each(Object.keys(CASES))('%s', async (name) => {
    const expected = CASES[name];
    if (!expected) throw new Error('Every name must belong to a case.');
    const { attempt, delivery } = await firstAttempt(name);
    expect(attempt).toMatchObject({
      outcome: expected.status === 'delivered' ? 'delivered' : 'failed',
      counts: true,
      status_code: expected.code,
      error_class: expected.errorClass,
    });
    expect(attempt.error === null).toBe(expected.status === 'delivered');
    if (expected.answer === null) expect(attempt.answer).toBeNull();
    else expect(attempt.answer?.startsWith(expected.answer ?? '')).toBe(true);
    expect(Buffer.byteLength(attempt.answer ?? '')).toBeLessThanOrEqual(16_384);
    const [from, to] = expected.seconds ?? [0, 14];
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(from * 1_000);
    expect(attempt.duration_ms).toBeLessThanOrEqual(to * 1_000);
    if (expected.status === 'delivered') {
      expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, waits_seconds: null });
    } else {
      expect(['waiting', 'delivering', 'exhausted']).toContain(delivery.status);
      expect(delivery.attempts).toBeGreaterThanOrEqual(1);
    }
  });

  it('a gigabyte is not read, and its connection is closed', () => {
    expect(receiver.largeBytesSent).toBeLessThan(200_000_000);
    expect(grownBytes).toBeLessThan(400_000_000);
  });
});

describe('meanwhile', () => {
  it('a healthy receiver does not wait for one that hangs', () => {
    expect(hangingAttempts).toEqual([]);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('by %i is a failure and is not followed', async (status) => {
    const name = `moved-${status}`;
    await using moved = await startReceiver({
      behave: () => ({
        kind: 'answer',
        status,
        headers: { location: `${elsewhere.url}/${name}` },
        body: 'Moved',
      }),
    });
    await start(name, moved.url);
    const { attempt } = await firstAttempt(name);
    expect(attempt).toMatchObject({
      outcome: 'failed',
      counts: true,
      status_code: status,
      error_class: 'redirect',
      answer: 'Moved',
    });
    expect(elsewhere.requestsTo(`/${name}`)).toEqual([]);
  });
});

describe('an address', () => {
  it('where nothing listens is a failed connection', async () => {
    const closed = await startReceiver();
    await closed[Symbol.asyncDispose]();
    await start('closed', closed.url);
    expect((await firstAttempt('closed')).attempt).toMatchObject({
      counts: true,
      error_class: 'connection',
      error: '127.0.0.1 refused the connection (ECONNREFUSED).',
    });
  });

  it('with an untrusted certificate or without TLS gets nothing', async () => {
    await using selfSigned = await startReceiver({ tls: true });
    await start('self-signed', selfSigned.url);
    await start('plain', elsewhere.url.replace('http:', 'https:'));
    for (const name of ['self-signed', 'plain']) {
      const { attempt } = await firstAttempt(name);
      expect(attempt, name).toMatchObject({ outcome: 'failed', counts: true, error_class: 'tls' });
    }
    expect(selfSigned.requests).toEqual([]);
  });

  it('that never completes the TLS handshake is given up after five seconds', async () => {
    await using silent = await startTcpServer(() => undefined);
    await start('silent', silent.url.replace('http:', 'https:'));
    const { attempt } = await firstAttempt('silent');
    expect(attempt).toMatchObject({ counts: true, error_class: 'timeout' });
    expect(attempt.duration_ms).toBeGreaterThan(4_500);
  });

  it.each(['http://10.0.0.1/', 'https://169.254.169.254/', 'http://8.8.8.8/'])(
    'that is forbidden is refused: %s',
    async (url) => {
      await start(url, url);
      const { attempt } = await firstAttempt(url);
      expect(attempt).toMatchObject({ counts: true, error_class: 'refused', status_code: null });
    },
  );
});
