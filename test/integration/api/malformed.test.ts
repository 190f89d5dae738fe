import { once } from 'node:events';
import net from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type MalformedRequest, malformedRequest } from '#test/support/malformed-request.ts';
import { aimedAt, makeTargets, type Targets } from '#test/support/malformed-targets.ts';
import { NASTY_URLS, randomIdeographs } from '#test/support/nasty-values.ts';
import { type Operation, operationsOf, standsAlone } from '#test/support/openapi-operations.ts';
import { exchange, type RawAnswer, send } from '#test/support/raw-http.ts';
import { WEBHOOK_SECRET } from '#test/support/stripe-fixtures.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const SEED = 20_260_101;
const REQUESTS = 2_000;

/** The error codes of docs/http-api.md. Callers branch on them, so each has one status. */
const STATUS_OF_CODE: Record<string, number> = {
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  UNAUTHORIZED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMIT_EXCEEDED: 429,
};

let millrace: TestMillrace;
let targets: Targets;

beforeAll(async () => {
  millrace = await startTestMillrace({
    MAX_BODY_BYTES: '2000000',
    MAX_DOCUMENT_BYTES: '300000',
    DEFAULT_PLAN: 'Enterprise',
    LOG_LEVEL: 'silent',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  });
  targets = await makeTargets(millrace);
});
afterAll(() => millrace[Symbol.asyncDispose]());
afterEach(async () => {
  expect((await millrace.call('GET', '/health', undefined, { key: null })).status).toBe(200);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

/** Success, or a refusal with the common error body. */
function expectWellAnswered(answer: RawAnswer, isHead: boolean): void {
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers['x-request-id']).toMatch(/^[\w.:-]{1,128}$/);
  if (answer.status < 300 || isHead) return;
  expect(answer.headers['content-type']).toMatch(/^application\/json(;|$)/);
  const body = JSON.parse(answer.body);
  expect(Object.keys(body).toSorted()).toEqual(['detail', 'error_code', 'request_id']);
  expect(body.request_id).toBe(answer.headers['x-request-id']);
  expect(body.detail).toMatch(/\S/);
  expect(body.detail.length).toBeLessThan(2_000);
  expect(answer.status).toBe(STATUS_OF_CODE[body.error_code]);
}

function summary({ method, path, headers, body, faults }: MalformedRequest): string {
  const shown = body === null ? 'no body' : body.subarray(0, 1_000).toString('latin1');
  return `${method} ${path.slice(0, 300)} [${faults}] ${headers.slice(2).join(' ')} ${shown}`;
}

describe('malformed requests', () => {
  it('are derived from well-formed ones', async () => {
    const { body: description } = await millrace.call('GET', '/openapi.json');
    const isAimed = ({ path, sample }: Operation) =>
      /^\/chat\/[a-z-]+$/.test(path) && sample !== undefined;
    const operations = operationsOf(description).filter((one) => standsAlone(one) || isAimed(one));
    expect(operations.length).toBeGreaterThan(30);
    for (const operation of operations) {
      const { method, path } = operation;
      const sample = aimedAt(targets, operation);
      const { status, text } = await millrace.call(method, path, sample);
      expect(status, `${method} ${path} ${JSON.stringify(sample)}: ${text}`).toBe(200);
      expect(text).not.toContain('"failed":1');
    }
  });

  it(`in their thousands get the common error body and no 5xx`, async () => {
    const { body: description } = await millrace.call('GET', '/openapi.json');
    const statuses = new Map<number, number>();
    const requests = malformedRequest(description, millrace.adminKey, targets);
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const answer = await send(millrace.url, request);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        try {
          expectWellAnswered(answer, request.method === 'HEAD');
        } catch (error) {
          throw new Error(`${summary(request)}\n→ ${answer.status} ${answer.body.slice(0, 500)}`, {
            cause: error,
          });
        }
      }),
      { seed: SEED, numRuns: REQUESTS, endOnFailure: true },
    );
    // The corpus is worthless if nearly everything is refused at the same check, or accepted.
    for (const status of [200, 400, 404, 405, 413, 415]) {
      expect(
        statuses.get(status) ?? 0,
        `${status}: ${JSON.stringify([...statuses])}`,
      ).toBeGreaterThan(5);
    }
    await millrace.settled();
  });

  it('leave every accepted document either indexed or failed with a reason', async () => {
    const { body } = await millrace.call('GET', '/service-api/ingestion?limit=1000');
    expect(body.documents.length).toBeGreaterThan(0);
    for (const one of body.documents) {
      expect(one.status === 'indexed' || (one.status === 'failed' && one.error)).toBeTruthy();
    }
  });
});

describe('a webhook endpoint', () => {
  it('cannot have a URL that is malformed or leads to a forbidden address', async () => {
    const { body: made } = await millrace.call('POST', '/webhook-endpoints', {
      url: 'http://127.0.0.1:4999/good',
      enabled: false,
    });
    const path = `/webhook-endpoints/${made.id}`;
    for (const url of NASTY_URLS) {
      for (const [method, where] of [
        ['POST', '/webhook-endpoints'],
        ['PATCH', path],
      ] as const) {
        const { status, body, text } = await millrace.call(method, where, { url });
        const shown = `${method} ${JSON.stringify(url.slice(0, 100))}: ${text}`;
        expect([status, body.error_code], shown).toEqual([400, 'BAD_REQUEST']);
        expect(body.detail, shown).toMatch(/^body\.url: /);
        expect(body.detail.length, shown).toBeLessThan(2_000);
      }
    }
    expect((await millrace.call('GET', path)).body.url).toBe('http://127.0.0.1:4999/good');
  });
});

const ITEM = { semantic_identifier: 'A title', sections: [{ text: 'Some text.' }] };
const ingest = (document: object, rest: object = {}) =>
  millrace.call('POST', '/service-api/ingestion', { document: { ...ITEM, ...document }, ...rest });

describe('documents at the edges', () => {
  it.each([
    ['an id of 3,000 bytes', { id: '字'.repeat(1_000) }],
    ['an id that is only NULs', { id: '\0\0' }],
    ['an empty id', { id: '' }],
    ['the year 0', { doc_updated_at: '0000-01-01T00:00:00Z' }],
    ['the year 0 after applying its offset', { doc_updated_at: '0001-01-01T00:00:00+05:00' }],
    ['the year 10000 after applying its offset', { doc_updated_at: '9999-12-31T23:59:59-23:00' }],
    ['a title that is only NULs', { semantic_identifier: '\0' }],
  ])('%s is refused', async (_, document) => {
    const { status, body } = await ingest(document);
    expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.detail).toContain('body.document.');
  });

  it.each([
    ['the longest id', { id: randomIdeographs(682) }],
    ['a long title without an id', { semantic_identifier: randomIdeographs(20_000) }],
    ['the earliest and the latest timestamp', { id: 't', doc_updated_at: '0001-01-01T00:00:00Z' }],
  ])('%s is accepted and can be read and deleted', async (_, document) => {
    const { status, body } = await ingest(document);
    expect(status).toBe(200);
    expect((await ingest(document)).body).toMatchObject({
      document_id: body.document_id,
      already_existed: true,
    });
    expect((await millrace.call('GET', body.status_url)).body.document_id).toBe(body.document_id);
    expect((await millrace.call('DELETE', body.status_url)).status).toBe(200);
  });

  it.each([-1, 0, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER])(
    'an unknown cc_pair_id of %d is accepted',
    async (cc_pair_id) => {
      expect((await ingest({ id: 'pair' }, { cc_pair_id })).status).toBe(200);
    },
  );

  it('an item that Postgres cannot store fails alone', async () => {
    const documents = [{ id: 'good-1' }, { id: '字'.repeat(2_000) }, { id: 'good-2' }];
    const { body } = await millrace.call('POST', '/service-api/ingestion/batch', {
      documents: documents.map((document) => ({ document: { ...ITEM, ...document } })),
    });
    expect(body).toMatchObject({ accepted: 2, failed: 1 });
    expect(body.results[1]).toMatchObject({ index: 1, error_code: 'BAD_REQUEST' });
  });
});

describe('the dashboard', () => {
  it.each([
    ['GET', '/nothing'],
    ['GET', '/%E0%A4%A'],
    ['GET', '/static/%2e%2e%2f%2e%2e%2fpackage.json'],
    ['GET', '/api/queues/nothing'],
    ['GET', '/api/queues?page=-1&jobsPerPage=abc&activeQueue=document-index&status=x'],
    ['GET', '/api/queues/document-index/nothing'],
    ['PUT', '/api/queues/document-index/nothing/retry'],
    ['DELETE', '/api/queues'],
    ['PUT', '/../../search'],
  ])('answers %s %s without a 5xx', async (method, path) => {
    const headers = ['Authorization', `Bearer ${millrace.adminKey}`];
    const request = { method, path: `/admin/queues${path}`, headers, body: null };
    const answer = await send(millrace.url, request);
    expect(answer.status, answer.body).toBeGreaterThanOrEqual(400);
    expect(answer.status, answer.body).toBeLessThan(500);
  });
});

const POST = 'POST /search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

/** The bytes sent, and the expected status; null when a closed connection is also a valid answer. */
const BYTES: Record<string, [string | Buffer, number | null]> = {
  'a bad request line': ['NONSENSE\r\n\r\n', 400],
  'an unknown method': ['BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  'an unknown version': ['GET /health HTTP/9.9\r\nHost: x\r\n\r\n', 400],
  'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  'a TLS handshake': [Buffer.from('160301020001000001fc0303', 'hex'), 400],
  'zero bytes': [Buffer.alloc(1_000), 400],
  'no Host header': ['GET /health HTTP/1.1\r\n\r\n', 400],
  'an address of another kind': ['GET foo://bar HTTP/1.1\r\nHost: x\r\n\r\n', 404],
  'an address with a broken host': ['GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  'a tunnel': ['CONNECT db:5432 HTTP/1.1\r\nHost: db\r\n\r\n', 405],
  'an asterisk': ['OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 404],
  'a header name with a space': ['GET /health HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n', 400],
  'a header with a NUL': ['GET /health HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n', 400],
  'a folded header': ['GET /health HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n', 400],
  'headers of 20 KB': [`GET /health HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, 413],
  'a path of 20 KB': [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 413],
  'a negative length': [`${POST}${JSON_TYPE}Content-Length: -5\r\n\r\n{}`, 400],
  'two lengths': [`${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `, 400],
  'a length and chunks': [
    `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  'chunks that are garbage': [`${POST}Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n`, 400],
  'a chunk larger than a number holds': [
    `${POST}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(20)}\r\n`,
    400,
  ],
  'an unknown expectation': [`${POST}Expect: the-impossible\r\nContent-Length: 2\r\n\r\n{}`, 400],
};

describe('invalid HTTP', () => {
  it.each(Object.entries(BYTES))('%s gets the common error body', async (_, [bytes, status]) => {
    const sent = typeof bytes === 'string' ? bytes.replace('KEY', millrace.adminKey) : bytes;
    const { answers, text } = await exchange(millrace.url, [sent], { count: 1, untilMs: 60_000 });
    expect(answers[0]?.status, text).toBe(status);
    if (answers[0]) expectWellAnswered(answers[0], false);
  });

  it('a Content-Length that is too short turns the rest into a bad request', async () => {
    const body = '{"query":"harbour"}';
    const request = `${POST}${JSON_TYPE}Content-Length: ${body.length}\r\n\r\n${body}and more\r\n\r\n`;
    const sent = [request.replace('KEY', millrace.adminKey)];
    const { answers } = await exchange(millrace.url, sent, { count: 2, untilMs: 60_000 });
    expect(answers.at(-1)?.status).toBe(400);
    for (const answer of answers) expectWellAnswered(answer, false);
  });

  it('a client that leaves in the middle of its head or body does no harm', async () => {
    const head = `${POST}${JSON_TYPE}Content-Length: 1000\r\n\r\n`.replace(
      'KEY',
      millrace.adminKey,
    );
    for (const cut of [10, head.length - 3, head.length]) {
      await exchange(millrace.url, [head.slice(0, cut)], { leave: true, untilMs: 200 });
    }
    const half = `${head}{"query": "har`;
    const { answers } = await exchange(millrace.url, [half], { leave: true, untilMs: 500 });
    for (const answer of answers) expect(answer.status).toBe(400);
  });

  it('slow bodies do not delay other requests', async () => {
    const head = `${POST}${JSON_TYPE}Content-Length: 1000\r\n\r\n{`;
    const sent = head.replace('KEY', millrace.adminKey);
    const { hostname, port } = new URL(millrace.url);
    const dripping = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = net.connect(Number(port), hostname);
        await once(socket, 'connect');
        await new Promise((resolve) => socket.write(sent, resolve));
        return socket;
      }),
    );
    expect((await millrace.call('POST', '/search', { query: 'harbour' })).status).toBe(200);
    // The server is still waiting for all of them.
    expect(dripping.every(({ bytesRead, closed }) => bytesRead === 0 && !closed)).toBe(true);
    for (const socket of dripping) socket.destroy();
  });
});
