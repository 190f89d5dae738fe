import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';
import type { SourceHttp } from '#src/connectors/source/source-http.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import { type FakeSource, startFakeSource } from '#test/support/fake-source.ts';

async function open(
  answer: Parameters<typeof startFakeSource>[0] = () => ({ body: { ok: true } }),
): Promise<{ source: FakeSource; http: SourceHttp; waits: number[] }> {
  const source = await startFakeSource(answer);
  const { context, waits, ...rest } = openTestContext();
  onTestFinished(async () => {
    await rest[Symbol.asyncDispose]();
    await source[Symbol.asyncDispose]();
  });
  return { source, http: context.http, waits };
}

/** Faults for the first requests, then none. */
function failing(source: FakeSource, ...faults: ReturnType<FakeSource['fault']>[]): void {
  source.fault = () => faults.shift() ?? null;
}

const OK = z.object({ ok: z.literal(true) });
const STATUS = 'status' as const;

test('a permanently broken source is called six times with growing pauses, then reported', async () => {
  const { source, http, waits } = await open(() => ({
    status: 500,
    body: { message: 'The database is on fire.' },
  }));
  const failure = http.send({ url: `${source.url}/issues?token=secret` });
  await expect(failure).rejects.toThrow(SourceUnavailable);
  const place = `${new URL(source.url).host}/issues`;
  await expect(failure).rejects.toThrow(`${place} answered 500: The database is on fire.`);
  await expect(failure).rejects.not.toThrow('secret');
  expect(source.requests).toHaveLength(6);
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
});

test.each([
  { kind: STATUS, status: 500 },
  { kind: STATUS, status: 502, body: '<html><title>Bad gateway</title></html>' },
  { kind: STATUS, status: 503 },
  { kind: STATUS, status: 408 },
  { kind: STATUS, status: 425 },
  { kind: STATUS, status: 429 },
  { kind: 'reset' as const },
  { kind: 'truncate' as const },
  { kind: 'wrong-json' as const },
  { kind: STATUS, status: 200, body: { ok: false } },
  { kind: STATUS, status: 200, body: '' },
])('%j twice is followed by the correct answer', async (fault) => {
  const { source, http, waits } = await open();
  failing(source, fault, fault);
  expect((await http.json({ url: source.url }, OK)).data).toEqual({ ok: true });
  expect(waits).toEqual([1_000, 2_000]);
});

test('JSON of the wrong shape is reported with the path of the field', async () => {
  const { source, http } = await open(() => ({ body: { issues: [{ fields: { updated: 7 } }] } }));
  const schema = z.object({
    issues: z.array(z.object({ fields: z.object({ updated: z.string() }) })),
  });
  const failure = http.json({ url: source.url }, schema);
  await expect(failure).rejects.toThrow(SourceUnavailable);
  await expect(failure).rejects.toThrow(
    'answered 200 with JSON of an unexpected shape: issues[0].fields.updated:',
  );
});

test.each([
  [{ 'retry-after': '7' }, 429, 7_000],
  [{ 'retry-after': '0' }, 429, 0],
  [{ 'retry-after': '60' }, 503, 60_000],
])('%j with %i is waited for as requested', async (headers, status, ms) => {
  const { source, http, waits } = await open();
  failing(source, { kind: STATUS, status, headers });
  await http.send({ url: source.url });
  expect(waits).toEqual([ms]);
});

test('a Retry-After date is waited for', async () => {
  const { source, http, waits } = await open();
  const date = new Date(Date.now() + 20_000).toUTCString();
  failing(source, { kind: STATUS, status: 429, headers: { 'retry-after': date } });
  await http.send({ url: source.url });
  expect(waits).toHaveLength(1);
  expect(Math.abs((waits[0] ?? 0) - 20_000)).toBeLessThan(2_000);
});

test('requested waits cost no attempts', async () => {
  const { source, http, waits } = await open();
  const told = { kind: STATUS, status: 429, headers: { 'retry-after': '2' } };
  failing(source, ...Array.from({ length: 12 }, () => told));
  expect((await http.send({ url: source.url })).status).toBe(200);
  expect(waits).toEqual(Array.from({ length: 12 }, () => 2_000));
});

test.each(['0', '59'])(
  'a source that repeats Retry-After %s forever is given up',
  async (seconds) => {
    const { source, http, waits } = await open(() => ({
      status: 429,
      headers: { 'retry-after': seconds },
    }));
    await expect(http.send({ url: source.url })).rejects.toThrow(SourceUnavailable);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(300_000);
    expect(source.requests.length).toBeLessThanOrEqual(21);
  },
);

test('a long wait is passed to the run instead of being waited out', async () => {
  const { source, http, waits } = await open(() => ({
    status: 429,
    headers: { 'retry-after': '3600' },
  }));
  await expect(http.send({ url: source.url })).rejects.toMatchObject({
    name: 'SourceUnavailable',
    retryAfterMs: 3_600_000,
  });
  expect(waits).toEqual([]);
});

test('401 is immediately a rejected credential, in the words of the source, without the credential', async () => {
  const { source, http } = await open(() => ({
    status: 401,
    body: { error: { message: 'Invalid key: abcdefgh-12345' } },
  }));
  const headers = { authorization: 'Bearer abcdefgh-12345' };
  const failure = http.send({ url: source.url, headers });
  await expect(failure).rejects.toThrow(CredentialRejected);
  await expect(failure).rejects.toThrow('answered 401: Invalid key: [secret]');
  expect(source.requests).toHaveLength(1);
});

test.each([400, 403, 404, 410, 422, 304])('%i is refused unless it is expected', async (status) => {
  const { source, http } = await open(() => ({
    status,
    ...(status !== 304 && { body: { errorMessages: ['No such field.'], errors: {} } }),
  }));
  await expect(http.send({ url: source.url })).rejects.toMatchObject({
    name: 'SourceRefused',
    status,
  });
  expect((await http.send({ url: source.url, expect: [status] })).status).toBe(status);
  expect(source.requests).toHaveLength(2);
});

test('an expected error with JSON of the wrong shape is refused without a retry', async () => {
  const { source, http } = await open(() => ({ status: 404, body: { message: 'gone' } }));
  await expect(http.json({ url: source.url, expect: [404] }, OK)).rejects.toThrow(SourceRefused);
  expect(source.requests).toHaveLength(1);
});

test.each(['http://10.0.0.1/', 'http://169.254.169.254/latest/'])(
  'a redirect to %s is refused at once',
  async (location) => {
    const { source, http } = await open(() => ({ status: 302, headers: { location } }));
    const failure = http.send({ url: source.url });
    await expect(failure).rejects.toThrow(SourceRefused);
    await expect(failure).rejects.toThrow('which cannot be reached from here');
    expect(source.requests).toHaveLength(1);
  },
);

test('an answer above the limit is refused at once', async () => {
  const { source, http } = await open(() => ({ body: 'x'.repeat(2_000) }));
  await expect(http.send({ url: source.url, maxBytes: 1_000 })).rejects.toThrow(SourceRefused);
  expect(source.requests).toHaveLength(1);
});

test('the habits of a source take precedence over the usual meaning of statuses', async () => {
  let answers = [
    { status: 403, headers: { 'x-reset': '5' } },
    { status: 200, body: { ok: false, error: 'invalid_auth' } },
  ];
  const { source, http, waits } = await open(() => answers.shift() ?? { body: { ok: true } });
  const vendor = http
    .withHabits({ headers: { accept: 'application/vnd.api+json', 'X-Version': '1' } })
    .withHabits({
      headers: { 'X-Version': '2' },
      waitMs: ({ headers }) =>
        headers.has('x-reset') ? Number(headers.get('x-reset')) * 1000 : null,
      rejected: (response) => response.text().includes('invalid_auth'),
      words: (response) =>
        `code ${z.object({ error: z.string() }).parse(JSON.parse(response.text())).error}`,
    });
  const failure = vendor.json({ url: source.url, headers: { 'x-request': 'a' } }, OK);
  await expect(failure).rejects.toThrow(CredentialRejected);
  await expect(failure).rejects.toThrow('answered 200: code invalid_auth');
  expect(waits).toEqual([5_000]);
  expect(source.requests[0]?.headers).toMatchObject({ 'x-version': '2', 'x-request': 'a' });
  expect(source.requests[0]?.headers.accept).toBe('application/vnd.api+json');
  answers = [];
  expect((await vendor.json({ url: source.url }, OK)).data).toEqual({ ok: true });
});

test('habits that throw on an answer have no effect', async () => {
  const { source, http, waits } = await open();
  failing(source, { kind: STATUS, status: 502, body: '<title>Bad gateway</title>' });
  const stumble = ({ status }: { status: number }): null => {
    if (status === 502) throw new SyntaxError('Unexpected token <');
    return null;
  };
  const vendor = http.withHabits({
    waitMs: stumble,
    rejected: (response) => stumble(response) !== null,
    words: stumble,
  });
  await vendor.send({ url: source.url });
  expect(waits).toEqual([1_000]);
});

test('JSON and forms are posted with their content type', async () => {
  const { source, http } = await open();
  await http.send({ url: source.url, json: { jql: 'a = "ü"' } });
  await http.send({ url: source.url, form: { grant_type: 'a b' } });
  expect(source.requests).toMatchObject([
    { method: 'POST', body: JSON.stringify({ jql: 'a = "ü"' }) },
    { method: 'POST', body: 'grant_type=a+b' },
  ]);
  expect(source.requests.map(({ headers }) => headers['content-type'])).toEqual([
    'application/json',
    'application/x-www-form-urlencoded',
  ]);
});

test.each([
  [{ error: 'invalid_grant', error_description: 'The token expired.' }, 'The token expired.'],
  [
    { error: { errors: [{ message: 'Not found' }], code: 404, message: 'File not found' } },
    'File not found',
  ],
  [{ errorMessages: [], errors: { jql: 'No field x.' } }, 'No field x.'],
  [{ errors: [{ detail: 'One.' }, { detail: 'Two.' }] }, 'One.; Two.'],
  [{ object: 'error', code: 'unauthorized' }, '{"object":"error","code":"unauthorized"}'],
  ['<Error><Code>NoSuchBucket</Code><Message>No bucket.</Message></Error>', 'No bucket.'],
  ['<html><head><title>Moved\n away</title></head></html>', 'Moved away'],
  ['plain \u0007 words', 'plain words'],
  ['y'.repeat(1_000), `${'y'.repeat(299)}…`],
])('an error message is found in %j', async (body, words) => {
  const { source, http } = await open(() => ({ status: 400, body }));
  await expect(http.send({ url: source.url })).rejects.toThrow(`answered 400: ${words}`);
});
