import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '#src/api/routes/index.ts';
import type { Answer } from '#test/support/api-client.ts';
import { createKey } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const MAX_DOCUMENT_BYTES = 20_000;
const MAX_BODY_BYTES = 100_000;

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace({
    MAX_DOCUMENT_BYTES: String(MAX_DOCUMENT_BYTES),
    MAX_BODY_BYTES: String(MAX_BODY_BYTES),
  });
});
afterAll(() => millrace[Symbol.asyncDispose]());

const item = (id: string, text: string) => ({
  document: { id, semantic_identifier: id, sections: [{ text }] },
});
const get = (path: string, headers: Record<string, string> = {}, key: string | null = null) =>
  millrace.call('GET', path, undefined, { key, headers });

describe('requests', () => {
  it('keep the id of the caller, in the header and in the error body', async () => {
    const { headers, body } = await get('/nowhere', { 'X-Request-Id': 'my-id.1:2_3' });
    expect(headers.get('X-Request-Id')).toBe('my-id.1:2_3');
    expect(body).toEqual({
      error_code: 'NOT_FOUND',
      detail: expect.stringContaining('/openapi.json'),
      request_id: 'my-id.1:2_3',
    });
  });

  it('get a generated id when they have none, or one that could forge a log line', async () => {
    for (const sent of [{}, { 'X-Request-Id': 'a b"{}' }, { 'X-Request-Id': 'x'.repeat(200) }]) {
      const { headers } = await get('/health', sent);
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('with an unsupported method are told which methods the route has', async () => {
    const { status, headers, body } = await millrace.call('DELETE', '/search');
    expect([status, body.error_code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(headers.get('Allow')).toContain('POST');
  });
});

describe('bodies', () => {
  const compressions: [string, (text: string) => Buffer][] = [
    ['gzip', zlib.gzipSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
    ['deflate', zlib.deflateSync],
  ];
  const post = async (body: Buffer, headers: Record<string, string>) => {
    const response = await fetch(`${millrace.url}/service-api/ingestion/batch`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${millrace.adminKey}`, ...headers },
      body: new Uint8Array(body),
    });
    return { status: response.status, text: await response.text() };
  };

  it.each(compressions)(
    'may be sent as %s, whole or as a stream of lines',
    async (encoding, compress) => {
      const documents = [item(`${encoding}-1`, 'Compressed.'), item(`${encoding}-2`, 'Squeezed.')];
      const whole = await post(compress(JSON.stringify({ documents })), {
        'Content-Type': 'application/json',
        'Content-Encoding': encoding,
      });
      expect(JSON.parse(whole.text)).toMatchObject({ accepted: 2, failed: 0 });
      const lines = await post(compress(documents.map((one) => JSON.stringify(one)).join('\n')), {
        'Content-Type': 'application/x-ndjson',
        'Content-Encoding': encoding,
      });
      expect(
        lines.text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toMatchObject([
        { index: 0, document_id: `${encoding}-1`, already_existed: true },
        { index: 1, document_id: `${encoding}-2`, already_existed: true },
      ]);
    },
  );

  it('with a document that is too large name MAX_DOCUMENT_BYTES and its value', async () => {
    const large = item('large', 'x'.repeat(MAX_DOCUMENT_BYTES + 1));
    const single = await millrace.call('POST', '/service-api/ingestion', large);
    expect([single.status, single.body.error_code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const batch = await millrace.call('POST', '/service-api/ingestion/batch', {
      documents: [item('small', 'x'), large],
    });
    expect(batch.body).toMatchObject({ accepted: 1, failed: 1 });
    expect(batch.body.results[1].error_code).toBe('PAYLOAD_TOO_LARGE');
    for (const detail of [single.body.detail, batch.body.results[1].detail]) {
      expect(detail).toContain('MAX_DOCUMENT_BYTES');
      expect(detail).toContain(String(MAX_DOCUMENT_BYTES));
    }
  });

  it('over the size limit name MAX_BODY_BYTES, compressed or not', async () => {
    const text = JSON.stringify({ query: 'x'.repeat(MAX_BODY_BYTES) });
    const plain = await millrace.call('POST', '/search', text);
    const small = await post(zlib.gzipSync(text), { 'Content-Encoding': 'gzip' });
    expect([plain.status, small.status]).toEqual([413, 413]);
    for (const answer of [plain.text, small.text]) {
      expect(JSON.parse(answer)).toMatchObject({ error_code: 'PAYLOAD_TOO_LARGE' });
      expect(answer).toContain(`${MAX_BODY_BYTES} bytes (MAX_BODY_BYTES`);
    }
  });
});

describe('rate limits', () => {
  const limits = ({ headers }: Answer) =>
    ['Limit', 'Remaining', 'Reset'].map((name) =>
      Number(headers.get(`X-RateLimit-${name}`) ?? NaN),
    );

  it('allow exactly 60 of 80 concurrent requests on the Free plan', async () => {
    const { key } = await millrace.createWorkspace('Free');
    const answers = await Promise.all(
      Array.from({ length: 80 }, () => get('/auth/verify', {}, key)),
    );
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([passed.length, refused.length]).toEqual([60, 20]);
    const now = Date.now() / 1_000;
    for (const answer of answers) {
      const [limit, remaining, reset] = limits(answer);
      expect(limit).toBe(60);
      expect(remaining).toBeGreaterThanOrEqual(0);
      expect(reset).toBeGreaterThan(now - 5);
      expect(reset).toBeLessThan(now + 125);
    }
    for (const { body, headers } of refused) {
      expect(body.error_code).toBe('RATE_LIMIT_EXCEEDED');
      expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      expect(headers.get('X-RateLimit-Remaining')).toBe('0');
    }
    expect(passed.map(({ body }) => body.requests_used).toSorted((x, y) => x - y)).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
    // The platform family still answers, without limits and without their headers.
    const search = await millrace.call('POST', '/search', { query: 'x' }, { key });
    expect(search.status).toBe(200);
    expect(search.headers.get('X-RateLimit-Limit')).toBeNull();
  });

  it('count all keys of an account together, and count refusals for a missing role too', async () => {
    const { key } = await millrace.createWorkspace('Free');
    const { key: readKey } = await createKey(millrace, key, 'read');
    const forbidden = await get('/account/api-keys', {}, readKey);
    expect(forbidden.status).toBe(403);
    expect(limits(forbidden).slice(0, 2)).toEqual([60, 58]);
    expect(limits(await get('/auth/verify', {}, key))[1]).toBe(57);
  });

  it('follow the plan', async () => {
    const plans = { Free: 60, Personal: 120, Pro: 300, Agency: 600, Enterprise: 3_000 };
    for (const [plan, limit] of Object.entries(plans)) {
      const { key } = await millrace.createWorkspace(plan);
      const { body, headers } = await get('/auth/verify', {}, key);
      expect(body).toMatchObject({ valid: true, plan, rate_limit: limit, requests_used: 1 });
      expect(headers.get('X-RateLimit-Limit')).toBe(String(limit));
    }
  });
});

describe('workspaces', () => {
  it('are created only by admins of the bootstrap workspace, on the default plan unless one is given', async () => {
    const make = (key: string, body: unknown = { name: 'New' }) =>
      millrace.call('POST', '/manage/admin/workspaces', body, { key });
    const made = await make(millrace.adminKey);
    expect(made.body).toEqual({
      workspace_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      api_key: expect.stringMatching(/^\S{40,}$/),
    });
    const verified = await get('/auth/verify', {}, made.body.api_key);
    expect(verified.body).toMatchObject({ plan: 'Free', rate_limit: 60 });
    expect((await make(made.body.api_key)).status).toBe(403);
    expect((await make((await createKey(millrace, millrace.adminKey, 'member')).key)).status).toBe(
      403,
    );
    expect((await make(millrace.adminKey, { name: 'x', plan_tier: 'Gold' })).status).toBe(400);
  });
});

describe('streams', () => {
  const ask = (path: string) =>
    millrace.call('POST', path, { message: 'What is compressed?', stream: true });

  it('are server-sent events with ids on the plain path', async () => {
    await millrace.settled();
    const { headers, text } = await ask('/chat/send-chat-message');
    expect(headers.get('Content-Type')).toMatch(/^text\/event-stream/);
    const events = text.split('\n\n').filter((event) => event !== '');
    const fields = events.map((event) => /^id: (\d+)\ndata: (\{[^\n]*\})$/.exec(event));
    expect(fields.map((found) => found?.[1])).toEqual(events.map((_, index) => String(index)));
    const packets = fields.map((found) => JSON.parse(found?.[2] ?? ''));
    expect(packets[0]).toHaveProperty('chat_session_id');
    expect(packets.at(-1).obj.type).toBe('stop');
  });

  it('are bare lines of JSON under /api', async () => {
    const { headers, text } = await ask('/api/chat/send-chat-message');
    expect(headers.get('Content-Type')).toMatch(/^text\/event-stream/);
    expect(text.endsWith('\n')).toBe(true);
    const packets = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(packets[0]).toHaveProperty('chat_session_id');
    expect(packets.at(-1).obj.type).toBe('stop');
  });
});

describe('the operator', () => {
  it('sees that the service is alive and ready', async () => {
    expect((await get('/health')).body).toMatchObject({ success: true });
    expect((await get('/ready')).body).toEqual({ ready: true, database: 'ok', queue: 'ok' });
  });

  it('scrapes requests, queues, jobs and documents', async () => {
    await millrace.call('POST', '/service-api/ingestion', item('measured', 'Measured.'));
    await millrace.settled();
    const { text, headers } = await get('/metrics', {}, millrace.adminKey);
    expect(headers.get('Content-Type')).toMatch(/^text\/plain/);
    for (const line of [
      /^millrace_http_request_duration_seconds_count\{method="POST",route="\/service-api\/ingestion"\} [1-9]/m,
      /^millrace_http_requests_total\{method="POST",route="\/service-api\/ingestion",status="200"\} [1-9]/m,
      /^millrace_http_requests_total\{.*route="unmatched",status="404"\} [1-9]/m,
      /^millrace_queue_jobs\{queue="document-index",state="waiting"\} \d+$/m,
      /^millrace_queue_oldest_waiting_seconds\{queue="document-index"\} \d/m,
      /^millrace_job_duration_seconds_count\{queue="document-index",outcome="\w+"\} [1-9]/m,
      /^millrace_documents\{status="indexed"\} [1-9]/m,
    ]) {
      expect(text).toMatch(line);
    }
    expect(text).not.toContain('measured');
  });
});

interface Operation {
  parameters: { in: string; name: string; required: boolean }[];
  responses: Record<string, { description?: string; $ref?: string }>;
}

describe('the API description', () => {
  it('is OpenAPI 3.1, lists every route, and has no dangling references', async () => {
    const { body } = await get('/openapi.json');
    expect(body.openapi).toMatch(/^3\.1\.\d$/);
    expect(body.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    const operations = Object.entries<Record<string, Operation>>(body.paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    const listed = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(listed).toEqual(
      expect.arrayContaining(ROUTES.map((one) => `${one.method} ${one.path}`)),
    );
    for (const { path, operation } of operations) {
      const declared = operation.parameters.filter((one) => one.in === 'path');
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(declared.map((one) => one.name)).toEqual(names);
      expect(declared.every((one) => one.required)).toBe(true);
      const { 200: done, 202: taken } = operation.responses;
      expect((done ?? taken)?.description).toBeTruthy();
      expect(operation.responses['500']?.$ref).toBe('#/components/responses/INTERNAL_SERVER_ERROR');
    }
    const text = JSON.stringify(body);
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target ?? '');
    for (const reference of references) {
      expect(body, reference).toHaveProperty(reference.split('/').slice(1));
    }
    expect(text).not.toContain('"nullable"'); // OpenAPI 3.0 keyword
  });
});
