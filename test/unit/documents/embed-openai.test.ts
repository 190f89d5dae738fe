import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { createOpenAiEmbedder } from '#src/documents/embed-openai.ts';
import { GiveUp, RetryLater } from '#src/platform/errors.ts';

const requestSchema = z.object({
  model: z.string(),
  input: z.array(z.string()),
  encoding_format: z.string().optional(),
  dimensions: z.number().optional(),
});
type EmbeddingRequest = z.infer<typeof requestSchema>;
type Answer = (request: EmbeddingRequest, response: ServerResponse) => void;

const signal = new AbortController().signal;
const KEY = 'sk-very-secret';

/** A local endpoint that answers as scripted and records its requests. */
async function startProvider(answer: Answer, timeoutMs = 60_000) {
  const requests: (EmbeddingRequest & { authorization: string | undefined })[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    void request.toArray().then((parts) => {
      const body = requestSchema.parse(JSON.parse(Buffer.concat(parts).toString()));
      requests.push({ ...body, authorization: request.headers.authorization });
      answer(body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a TCP server is never a string.
  const { port } = server.address() as AddressInfo;
  const embedder = createOpenAiEmbedder({
    baseUrl: `http://127.0.0.1:${port}/v1/`,
    apiKey: KEY,
    model: 'test-model',
    dimensions: 3,
    fetch: globalThis.fetch.bind(globalThis),
    timeoutMs,
  });
  return {
    embedder,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const vectorOf = (text: string) => [text.length, 0, 0.5];
const base64Of = (vector: number[]) =>
  Buffer.from(Float32Array.from(vector).buffer).toString('base64');

const asFloats: Answer = ({ input }, response) => {
  const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
  send(response, 200, { data });
};

async function failureOf(answer: Answer, timeoutMs?: number): Promise<unknown> {
  await using provider = await startProvider(answer, timeoutMs);
  // Awaited here, because the endpoint lives only until this function returns.
  return await provider.embedder.embedDocuments(['a'], signal).catch((error: unknown) => error);
}

test('vectors have unit length and the order of the texts, whatever order they arrived in', async () => {
  await using provider = await startProvider(({ input }, response) => {
    const data = input.map((text, index) => ({ index, embedding: base64Of(vectorOf(text)) }));
    send(response, 200, { object: 'list', data: data.toReversed() });
  });
  const vectors = await provider.embedder.embedDocuments(['a', 'bbbb', ''], signal);
  const norm = Math.hypot(4, 0.5);
  expect(vectors).toHaveLength(3);
  expect(vectors[1]?.[0]).toBeCloseTo(4 / norm, 6);
  expect(vectors[1]?.[2]).toBeCloseTo(0.5 / norm, 6);
  expect(provider.requests).toEqual([
    {
      model: 'test-model',
      // Providers reject an empty input.
      input: ['a', 'bbbb', ' '],
      encoding_format: 'base64',
      authorization: `Bearer ${KEY}`,
    },
  ]);
});

test('float arrays are also accepted, and a query is a single text', async () => {
  await using provider = await startProvider(asFloats);
  const vector = await provider.embedder.embedQuery('aa', () => 1, signal);
  expect(vector[0]).toBeCloseTo(2 / Math.hypot(2, 0.5), 6);
});

test('no texts cause no request', async () => {
  await using provider = await startProvider(asFloats);
  expect(await provider.embedder.embedDocuments([], signal)).toEqual([]);
  expect(provider.requests).toEqual([]);
});

test('many texts are sent in batches of at most 256 texts and about 100,000 tokens, four at a time', async () => {
  let open = 0;
  let most = 0;
  await using provider = await startProvider((request, response) => {
    open += 1;
    most = Math.max(most, open);
    setImmediate(() => {
      open -= 1;
      asFloats(request, response);
    });
  });
  const texts = Array.from({ length: 2_000 }, (_, n) => 'x'.repeat((n % 50) + 1));
  const long = Array.from({ length: 3 }, () => 'word '.repeat(60_000));
  const vectors = await provider.embedder.embedDocuments([...texts, ...long], signal);
  expect(vectors.map((vector) => Math.round(((vector[0] ?? 0) / (vector[2] ?? 1)) * 0.5))).toEqual(
    [...texts, ...long].map(({ length }) => length),
  );
  expect(Math.max(...provider.requests.map(({ input }) => input.length))).toBe(256);
  expect(provider.requests.filter(({ input }) => input.includes(long[0] ?? ''))).toHaveLength(3);
  expect(most).toBeLessThanOrEqual(4);
});

test('an endpoint without base64 support is asked for floats from then on', async () => {
  await using provider = await startProvider((request, response) => {
    if (request.encoding_format === undefined) return asFloats(request, response);
    send(response, 400, { error: { message: 'encoding_format is not supported' } });
  });
  await provider.embedder.embedDocuments(['a'], signal);
  await provider.embedder.embedDocuments(['b'], signal);
  expect(provider.requests.map((request) => request.encoding_format)).toEqual([
    'base64',
    undefined,
    undefined,
  ]);
});

test('a model with longer vectors is asked once to shorten them', async () => {
  await using provider = await startProvider(({ input, dimensions }, response) => {
    const embedding = Array.from({ length: dimensions ?? 8 }, () => 1);
    send(response, 200, { data: input.map((_, index) => ({ index, embedding })) });
  });
  expect((await provider.embedder.embedDocuments(['a'], signal))[0]).toHaveLength(3);
  await provider.embedder.embedDocuments(['b'], signal);
  expect(provider.requests.map(({ dimensions }) => dimensions)).toEqual([undefined, 3, 3]);
});

test('a 429 is retried after the seconds the provider names', async () => {
  const error = await failureOf((_request, response) =>
    send(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '7' }),
  );
  expect(error).toBeInstanceOf(RetryLater);
  expect(error).toMatchObject({ delayMs: 7_000 });
  expect(String(error)).toContain('slow down');
});

test('a 503 with a date waits until then, up to five minutes', async () => {
  const error = await failureOf((_request, response) =>
    send(response, 503, '', { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }),
  );
  expect(error).toMatchObject({ name: 'RetryLater', delayMs: 300_000 });
});

test('a 503 without Retry-After waits two seconds', async () => {
  const error = await failureOf((_request, response) => send(response, 503, 'oops'));
  expect(error).toMatchObject({ name: 'RetryLater', delayMs: 2_000 });
});

test('a 500 is a fault that costs an attempt, unless it has Retry-After', async () => {
  const fault = await failureOf((_request, response) => send(response, 500, 'oops'));
  expect(fault).toMatchObject({ name: 'EmbedderFault' });
  const later = await failureOf((_request, response) =>
    send(response, 500, 'oops', { 'retry-after': '7' }),
  );
  expect(later).toMatchObject({ name: 'RetryLater', delayMs: 7_000 });
});

test('an endpoint that hangs or is unreachable is retried later', async () => {
  const hung = await failureOf(() => undefined, 500);
  expect(hung).toBeInstanceOf(RetryLater);
  expect(String(hung)).toContain('did not answer within 0.5 s');
  const gone = await failureOf((_request, response) => response.destroy());
  expect(gone).toBeInstanceOf(RetryLater);
  expect(String(gone)).toContain('cannot be reached');
});

test('any other refusal is final, with the words of the provider but never the key', async () => {
  const error = await failureOf((_request, response) =>
    send(response, 401, { error: { message: `Incorrect API key provided: ${KEY}.` } }),
  );
  expect(error).toBeInstanceOf(GiveUp);
  expect(String(error)).toContain('answered 401: Incorrect API key provided: [key].');
});

test('a redirect is not followed, to protect the key', async () => {
  const error = await failureOf((_request, response) =>
    send(response, 307, '', { location: 'http://127.0.0.1:9/' }),
  );
  expect(error).toBeInstanceOf(GiveUp);
  expect(String(error)).toContain('redirects');
});

test.each([
  ['the wrong dimension', { data: [{ index: 0, embedding: [1, 2] }] }, 'returns 2 dimensions'],
  ['too few vectors', { data: [] }, '0 embeddings for 1 texts'],
  ['the wrong index', { data: [{ index: 4, embedding: [1, 2, 3] }] }, 'no embedding for text 0'],
  ['something else', '<html>Login</html>', 'check EMBEDDING_BASE_URL'],
  ['broken numbers', { data: [{ embedding: base64Of([1, Number.NaN, 3]) }] }, 'not a number'],
])('an answer with %s fails with the reason', async (_name, body, reason) => {
  const error = await failureOf((_request, response) => send(response, 200, body));
  expect(error).toBeInstanceOf(GiveUp);
  expect(String(error)).toContain(reason);
});

test('an abort by the caller is not reported as a failure of the provider', async () => {
  await using provider = await startProvider(() => undefined);
  const controller = new AbortController();
  const work = provider.embedder.embedDocuments(['a'], controller.signal);
  controller.abort(new Error('shutting down'));
  await expect(work).rejects.toThrow('shutting down');
});
