import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import zlib from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openBody } from '#src/api/read-body.ts';
import { defineRoute } from '#src/api/route.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import { anyString, bearer, BOOTSTRAP_KEY, openTestApi, type TestApi } from './harness.ts';

const LIMIT = 20_000;
const shared = { tag: 'Test', family: 'platform', scope: 'any' } as const;
const routes = [
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/echo',
    summary: 'Echo',
    body: z.object({
      name: z.string(),
      tags: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
    }),
    reply: z.object({ name: z.string(), keys: z.array(z.string()), polluted: z.boolean() }),
    handle: ({ body }) => ({
      name: body.name,
      keys: Object.keys(body.tags ?? {}),
      polluted: 'isAdmin' in {} || 'isAdmin' in (body.tags ?? {}),
    }),
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/lines',
    summary: 'Answer each line with its length',
    rawBody: true,
    accepts: ['application/x-ndjson'],
    produces: ['application/x-ndjson'],
    reply: z.string(),
    handle: ({ incoming }) =>
      streamReply(
        'application/x-ndjson',
        (async function* () {
          const lines = incoming.lines(100, async () => () => undefined);
          for await (const { text } of lines) yield `${text.length}\n`;
        })(),
      ),
  }),
];

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi(routes, { settings: { MAX_BODY_BYTES: String(LIMIT) } });
});
afterAll(() => api[Symbol.asyncDispose]());

async function post(
  path: string,
  body: BodyInit | null,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown>; text: string }> {
  const response = await fetch(api.url + path, {
    method: 'POST',
    body,
    headers: { ...bearer(BOOTSTRAP_KEY), 'content-type': 'application/json', ...headers },
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    text,
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

const encoded = (encoding: string, bytes: Buffer) =>
  post('/echo', new Uint8Array(bytes), { 'content-encoding': encoding });

describe('JSON bodies', () => {
  it.each([
    ['{"name": "a",}', 'position'],
    ['{"name": tru}', 'is not valid JSON'],
    ['{"name": "a"', 'position 12'],
    ['', 'has no body'],
    ['[]', 'body: Invalid input: expected object'],
    ['{"name": 1}', 'body.name: Invalid input: expected string, received number'],
    ['{"name": "a", "tags": {"x": ["a", 1]}}', 'body.tags.x[1]'],
  ])('%s is refused with a message that locates the error', async (text, sentence) => {
    const { status, body } = await post('/echo', text);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error_code: 'BAD_REQUEST', request_id: anyString });
    expect(Object.keys(body)).toEqual(['error_code', 'detail', 'request_id']);
    expect(body.detail).toContain(sentence);
  });

  it('must be UTF-8', async () => {
    const { status, body } = await post('/echo', new Uint8Array([0x22, 0xff, 0x22]));
    expect([status, body.detail]).toEqual([400, expect.stringContaining('UTF-8')]);
  });

  it('may start with a byte order mark and need no content type', async () => {
    expect((await post('/echo', '\uFEFF{"name":"a"}')).status).toBe(200);
    const response = await fetch(`${api.url}/echo`, {
      method: 'POST',
      headers: bearer(BOOTSTRAP_KEY),
      body: new TextEncoder().encode('{"name":"a"}'),
    });
    expect(response.status).toBe(200);
  });

  it('of another type are refused, naming the accepted type', async () => {
    const { status, body } = await post('/echo', 'a=1', { 'content-type': 'text/plain' });
    expect([status, body.error_code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(body.detail).toContain('application/json');
    const latin = await post('/echo', '{}', { 'content-type': 'application/json; charset=latin1' });
    expect(latin.status).toBe(415);
  });

  it('cannot pollute prototypes', async () => {
    const hostile =
      '{"name":"a","__proto__":{"isAdmin":"1"},"tags":{"__proto__":"isAdmin","constructor":"x"}}';
    const { status, body } = await post('/echo', hostile);
    expect(status).toBe(200);
    expect(body.polluted).toBe(false);
    expect(body.keys).toEqual(['constructor']);
  });

  it('above the limit are refused by their declared length', async () => {
    const { status, body } = await post('/echo', JSON.stringify({ name: 'x'.repeat(LIMIT) }));
    expect([status, body.error_code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(body.detail).toContain(String(LIMIT));
  });
});

describe('slow bodies', () => {
  afterEach(() => void vi.useRealTimers());

  it('are refused after 30 s without a byte, or after 5 minutes in total', async () => {
    vi.useFakeTimers();
    for (const everyMs of [31_000, 20_000]) {
      const sending = new PassThrough();
      const request = Object.assign(sending, { headers: {} }) as unknown as IncomingMessage;
      const reading = openBody(request, async () => () => undefined).bytes(1_000, 'a limit');
      const drip = setInterval(() => sending.write('x'), everyMs);
      const refused = expect(reading).rejects.toMatchObject({ code: 'BAD_REQUEST' });
      await vi.advanceTimersByTimeAsync(301_000);
      await refused;
      clearInterval(drip);
    }
  });
});

describe('compressed bodies', () => {
  const json = Buffer.from(JSON.stringify({ name: 'compressed' }));
  const bomb = Buffer.alloc(50_000_000, ' ');
  it.each([
    ['gzip', zlib.gzipSync(json), zlib.gzipSync(bomb)],
    ['br', zlib.brotliCompressSync(json), zlib.brotliCompressSync(bomb)],
    ['zstd', zlib.zstdCompressSync(json), zlib.zstdCompressSync(bomb)],
    ['deflate', zlib.deflateSync(json), zlib.deflateSync(bomb)],
  ])(
    'with %s are decompressed; a bomb, invalid data and a truncated body are refused',
    async (encoding, good, exploding) => {
      expect(await encoded(encoding, good)).toMatchObject({
        status: 200,
        body: { name: 'compressed' },
      });
      expect(await encoded(encoding, exploding)).toMatchObject({ status: 413 });
      const rubbish = await encoded(encoding, Buffer.from('certainly not compressed'));
      expect(rubbish.status).toBe(400);
      expect(rubbish.body.detail).toContain(encoding);
      expect((await encoded(encoding, good.subarray(0, good.length - 4))).status).toBe(400);
    },
  );

  it('may use identity or two encodings, but no unknown one', async () => {
    expect((await encoded('identity', json)).status).toBe(200);
    const twice = zlib.gzipSync(zlib.brotliCompressSync(json));
    expect((await encoded('br, gzip', twice)).status).toBe(200);
    expect(await encoded('compress', json)).toMatchObject({ status: 415 });
    expect(await encoded('constructor', json)).toMatchObject({ status: 415 });
    expect((await encoded('gzip', Buffer.alloc(0))).body.detail).toContain('no body');
  });
});

describe('line-delimited bodies', () => {
  const ndjson = { 'content-type': 'application/x-ndjson' };

  it('are read at any length as whole lines, however they are chunked', async () => {
    const text = Array.from({ length: 5_000 }, (_, index) => 'é'.repeat(index % 40)).join('\r\n');
    const { status, text: answer } = await post('/lines', new Uint8Array(zlib.gzipSync(text)), {
      ...ndjson,
      'content-encoding': 'gzip',
    });
    const expected = text.split('\r\n').filter((line) => line !== '');
    expect(status).toBe(200);
    expect(text.length).toBeGreaterThan(LIMIT);
    expect(answer.trim().split('\n').map(Number)).toEqual(expected.map((line) => line.length));
  });

  it('truncate a line that is too long and continue with the next', async () => {
    const { text } = await post('/lines', `short\n${'x'.repeat(500_000)}\n\nlast`, ndjson);
    expect(text).toBe('5\n101\n4\n');
  });

  it('that break before the first line get an error response', async () => {
    const refused = await post('/lines', 'not gzip', { ...ndjson, 'content-encoding': 'gzip' });
    expect(refused).toMatchObject({ status: 400, body: { error_code: 'BAD_REQUEST' } });
  });

  it('of another type are refused', async () => {
    expect((await post('/lines', '{}')).status).toBe(415);
  });

  it('are answered while still being sent', async () => {
    const { port, hostname } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /lines HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BOOTSTRAP_KEY}\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabc\n\r\n`,
    );
    const seen = await new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (data) => {
        text += data.toString();
        if (text.includes('\r\n3\n')) resolve(text);
      });
    });
    expect(seen).toContain('200 OK');
    expect(seen.toLowerCase()).toContain('x-accel-buffering: no');
    socket.destroy();
  });
});
