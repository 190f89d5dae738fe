import { describe, expect, test } from 'vitest';
import { createMillraceClient, type MillraceClient } from '#src/client/millrace-client.ts';
import { AnswerInterrupted, MillraceError } from '#src/client/millrace-error.ts';
import type { StreamLine } from '#src/client/packets.ts';
import { type FakeAnswer, type SeenRequest, startFakeService } from '#test/support/fake-service.ts';
import { asEvents, idsLine, packet, SESSION_ID, sessionLine } from '#test/support/stream-body.ts';

const said = (content: string): StreamLine => packet({ type: 'message_delta', content });
const stop = packet({ type: 'stop', stop_reason: null });
const whole = [sessionLine, idsLine, said('One '), said('two.'), stop];

async function withService<T>(
  answer: (request: SeenRequest, call: number) => FakeAnswer,
  work: (client: MillraceClient, requests: SeenRequest[]) => Promise<T>,
): Promise<{ outcome: T; requests: SeenRequest[] }> {
  let call = 0;
  await using service = await startFakeService((request) => answer(request, call++));
  const client = createMillraceClient({
    baseUrl: `${service.url}/`,
    apiKey: 'k',
    wait: () => Promise.resolve(),
  });
  const outcome = await work(client, service.requests);
  return { outcome, requests: service.requests };
}

const read = async (client: MillraceClient): Promise<StreamLine[]> =>
  Array.fromAsync(client.chat.stream({ message: 'q' }));
const failureOf = async (promise: Promise<unknown>): Promise<MillraceError> => {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof MillraceError))
    throw new Error('It did not fail as expected.', { cause: error });
  return error;
};

describe('a failed call', () => {
  test('reports status, code, message, request and how long to wait', async () => {
    const json = { error_code: 'RATE_LIMIT_EXCEEDED', detail: 'Too many.', request_id: 'r1' };
    const { outcome } = await withService(
      () => ({ status: 429, headers: { 'retry-after': '7' }, json }),
      (client) => failureOf(client.chat.send({ message: 'q' })),
    );
    expect(outcome).toMatchObject({
      status: 429,
      errorCode: 'RATE_LIMIT_EXCEEDED',
      detail: 'Too many.',
      requestId: 'r1',
      retryAfterSeconds: 7,
    });
  });

  test.each<[string, FakeAnswer, Partial<MillraceError>]>([
    [
      'an error page',
      { status: 502, text: '<html>Bad' },
      { status: 502, errorCode: 'UNEXPECTED_ANSWER' },
    ],
    ['no JSON', { text: 'hello' }, { status: 200, errorCode: 'UNEXPECTED_ANSWER' }],
    ['a closed connection', { hangUp: true }, { status: null, errorCode: 'NO_ANSWER' }],
  ])('with %s is distinguished', async (_what, answer, expected) => {
    const { outcome } = await withService(
      () => answer,
      (client) => failureOf(client.tools.list()),
    );
    expect(outcome).toMatchObject(expected);
  });

  test('aborted by its own signal rejects with the reason of the signal', async () => {
    const reason = new Error('enough');
    await withService(
      () => ({ json: [] }),
      (client) =>
        expect(client.tools.list({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason),
    );
  });
});

describe('a stream', () => {
  test('is requested with the key and ends at stop', async () => {
    const { outcome, requests } = await withService(
      () => ({ text: asEvents([...whole, said('never')]) }),
      read,
    );
    expect(outcome).toEqual(whole);
    expect(requests).toMatchObject([
      {
        url: '/chat/send-chat-message',
        authorization: 'Bearer k',
        body: { message: 'q', stream: true },
      },
    ]);
  });

  test('that breaks is resumed where it broke', async () => {
    const { outcome, requests } = await withService(
      (_request, call) =>
        [
          { text: `${asEvents(whole.slice(0, 3))}id: 3\ndata: {"placement` },
          { hangUp: true },
          { text: asEvents(whole.slice(3), 3) },
        ][call] ?? { hangUp: true },
      read,
    );
    expect(outcome).toEqual(whole);
    expect(requests.map(({ url }) => url).slice(1)).toEqual([
      `/chat/chat-session/${SESSION_ID}/resume-stream?cursor=3`,
      `/chat/chat-session/${SESSION_ID}/resume-stream?cursor=3`,
    ]);
  });

  test.each<[string, FakeAnswer, number]>([
    ['the resumed stream ends early too', { text: asEvents(whole.slice(3, 4), 3) }, 2],
    [
      'the service no longer has it',
      { status: 404, json: { error_code: 'NOT_FOUND', detail: 'x' } },
      2,
    ],
    ['the service stops responding', { hangUp: true }, 4],
  ])('that breaks fails with AnswerInterrupted when %s', async (_what, answer, calls) => {
    const { outcome, requests } = await withService(
      (_request, call) => (call === 0 ? { text: asEvents(whole.slice(0, 3)) } : answer),
      (client) => failureOf(read(client)),
    );
    expect(outcome).toBeInstanceOf(AnswerInterrupted);
    expect(outcome).toMatchObject({
      sessionId: SESSION_ID,
      messageId: 2,
      errorCode: 'ANSWER_INTERRUPTED',
    });
    expect(requests).toHaveLength(calls);
  });

  test('that breaks before the answer has begun is not resumed', async () => {
    const { outcome, requests } = await withService(
      () => ({ text: asEvents([sessionLine]) }),
      (client) => failureOf(read(client)),
    );
    expect(outcome).toMatchObject({ status: null, errorCode: 'NO_ANSWER' });
    expect(requests).toHaveLength(1);
  });

  test('that is refused fails like any call', async () => {
    const { outcome } = await withService(
      () => ({ status: 400, json: { error_code: 'BAD_REQUEST', detail: 'no', request_id: 'r' } }),
      (client) => failureOf(read(client)),
    );
    expect(outcome).toMatchObject({ status: 400, errorCode: 'BAD_REQUEST' });
  });

  test('that is silent for too long counts as broken', async () => {
    const client = createMillraceClient({
      baseUrl: 'http://silent.example',
      apiKey: 'k',
      idleTimeoutMs: 20,
      wait: () => Promise.resolve(),
      fetch: (_address, init) =>
        init?.method === 'GET'
          ? Promise.resolve(new Response(asEvents(whole.slice(3), 3)))
          : Promise.resolve(new Response(silentAfter(asEvents(whole.slice(0, 3)), init?.signal))),
    });
    expect(await read(client)).toEqual(whole);
  });

  test('closes its connection when its consumer stops early', async () => {
    let closed = false;
    const client = createMillraceClient({
      baseUrl: 'http://x.example',
      apiKey: 'k',
      fetch: (_address, init) => {
        init?.signal?.addEventListener('abort', () => (closed = true));
        return Promise.resolve(
          new Response(silentAfter(asEvents(whole.slice(0, 3)), init?.signal)),
        );
      },
    });
    const lines = client.chat.stream({ message: 'q' });
    expect((await lines.next()).value).toEqual(whole[0]);
    await lines.return();
    expect(closed).toBe(true);
  });
});

/** A body that stays open after its first part, until its request is aborted. */
function silentAfter(
  text: string,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      signal?.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
}
