import { expect, test } from 'vitest';
import { createSourceHttp } from '#src/connectors/source/create-source-http.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import type { SourcePolicy } from '#src/connectors/source/source-http.ts';
import { OutboundError, type OutboundRequest, type OutboundResponse } from '#src/platform/http.ts';

/** A client that answers on demand, and a clock that only waits advance. */
function openStopped(policy: Partial<SourcePolicy>, signal = new AbortController().signal) {
  const pending: { request: OutboundRequest; answer: () => void; fail: (e: Error) => void }[] = [];
  const starts: number[] = [];
  let nowMs = 0;
  const http = createSourceHttp({
    client: {
      guard: { addressesOf: () => Promise.resolve([]) },
      send(request) {
        starts.push(nowMs);
        const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>();
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
        const bytes = Buffer.from('{}');
        const head = { status: 200, url: request.url, headers: new Headers() };
        const response = { ...head, bytes, isCut: false };
        pending.push({
          request,
          answer: () => resolve({ ...response, text: () => '{}' }),
          fail: reject,
        });
        return promise;
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    policy: { concurrentRequests: 100, requestsPerSecond: null, documentsPerPage: 10, ...policy },
    signal,
    clock: () => new Date(nowMs),
    wait: async (ms, waiting) => {
      waiting.throwIfAborted();
      nowMs += ms;
    },
    random: () => 1,
  });
  return { http, pending, starts, advance: (ms: number) => (nowMs += ms) };
}

/** Lets all pending work proceed. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('no more concurrent requests run than the policy allows, even across clients with habits', async () => {
  const { http, pending } = openStopped({ concurrentRequests: 2 });
  const other = http.withHabits({ headers: { a: 'b' } });
  const answers = Array.from({ length: 5 }, (_, index) =>
    (index % 2 === 0 ? http : other).send({ url: `http://a.example/${index}` }),
  );
  const counts: number[] = [];
  for (let index = 0; index < 5; index += 1) {
    await settle();
    counts.push(pending.length);
    pending[index]?.answer();
  }
  await Promise.all(answers);
  expect(counts).toEqual([2, 3, 4, 5, 5]);
  const paths = pending.map(({ request }) => new URL(request.url).pathname);
  expect(paths).toEqual(['/0', '/1', '/2', '/3', '/4']);
});

test('requests are spaced by the policy, and idle time is not saved up', async () => {
  const { http, pending, starts, advance } = openStopped({
    concurrentRequests: 1,
    requestsPerSecond: 4,
  });
  const ask = async (): Promise<void> => {
    const answer = http.send({ url: 'http://a.example/' });
    await settle();
    pending.at(-1)?.answer();
    await answer;
  };
  for (let index = 0; index < 3; index += 1) await ask();
  advance(10_000);
  await ask();
  await ask();
  expect(starts).toEqual([0, 250, 500, 10_500, 10_750]);
});

test('an abort ends requests that run, wait for their turn, or start later', async () => {
  const stop = new AbortController();
  const { http, pending } = openStopped({ concurrentRequests: 1 }, stop.signal);
  const reason = new Error('The run was cancelled.');
  const answers = [1, 2, 3].map(() => http.send({ url: 'http://a.example/' }));
  await settle();
  stop.abort(reason);
  for (const answer of answers) await expect(answer).rejects.toBe(reason);
  await expect(http.send({ url: 'http://a.example/' })).rejects.toBe(reason);
  expect(pending).toHaveLength(1);
});

test('attempts that each time out end after a minute', async () => {
  const { http, pending, advance } = openStopped({});
  const answer = http.send({ url: 'http://a.example/' });
  const failed = expect(answer).rejects.toThrow(SourceUnavailable);
  for (let index = 0; index < 3; index += 1) {
    await settle();
    advance(30_000);
    pending[index]?.fail(new OutboundError('timeout', 'a.example did not answer.'));
  }
  await failed;
  expect(pending.length).toBeLessThan(3);
});
