import { request } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { openBodyRoom, SHORT_BODY_BYTES } from '#src/api/body-room.ts';
import { defineRoute } from '#src/api/route.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { until } from '#test/support/until.ts';
import { BOOTSTRAP_KEY, openTestApi, type TestApi } from './harness.ts';

/** Two such bodies of one workspace have room. */
const LONGEST_BYTES = 1_500_000;
const [LARGE, SMALL] = ['large', 'small'] as unknown as [WorkspaceId, WorkspaceId];

/** Requests whose bodies were read: each is answered when it is called. */
const read: { bytes: number; answer: () => void }[] = [];

const holding = defineRoute({
  tag: 'Test',
  family: 'platform',
  scope: 'ingest',
  method: 'POST',
  path: '/held',
  summary: 'Holds its body',
  rawBody: true,
  body: z.unknown(),
  reply: z.object({ bytes: z.int() }),
  async handle({ incoming }) {
    const { length } = await incoming.bytes(LONGEST_BYTES, 'MAX_BODY_BYTES');
    const answered = Promise.withResolvers<void>();
    read.push({ bytes: length, answer: answered.resolve });
    await answered.promise;
    return { bytes: length };
  },
});

let api: TestApi;
beforeAll(async () => {
  const limit = String(LONGEST_BYTES);
  api = await openTestApi([holding], {
    settings: { MAX_BODY_BYTES: limit, MAX_DOCUMENT_BYTES: limit },
  });
});
afterAll(() => api[Symbol.asyncDispose]());

/** Sends a body, without its length when it is sent in chunks. */
function send(
  bytes: number,
  { isChunked = false } = {},
): {
  status: Promise<number>;
  cut: () => void;
} {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  promise.catch(() => undefined);
  const headers = {
    Authorization: `Bearer ${BOOTSTRAP_KEY}`,
    'Content-Type': 'application/json',
    ...(isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': bytes }),
  };
  const sent = request(`${api.url}/held`, { method: 'POST', headers });
  sent.on('error', reject);
  sent.on('response', (response) => {
    response.resume();
    response.on('end', () => resolve(response.statusCode ?? 0));
  });
  sent.end(Buffer.alloc(bytes, ' '));
  return { status: promise, cut: () => void sent.destroy() };
}

/** Enough for a body that is there to be read. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await nextTurn();
}

it.each([{ isChunked: false }, { isChunked: true }])(
  'holds two long bodies of a workspace and reads short ones beside them, chunked: $isChunked',
  async (how) => {
    const long = [1, 2, 3].map(() => send(LONGEST_BYTES, how));
    await until(async () => read.length === 2, 20_000, 1);
    await manyTurns();
    expect(read.map(({ bytes }) => bytes)).toEqual([LONGEST_BYTES, LONGEST_BYTES]);
    const short = send(SHORT_BODY_BYTES, how);
    await until(async () => read.length === 3, 20_000, 1);
    expect(read[2]?.bytes).toBe(SHORT_BODY_BYTES);
    for (const { answer } of read.splice(0)) answer();
    await until(async () => read.length === 1, 20_000, 1);
    read.pop()?.answer();
    const statuses = [...long, short].map(({ status }) => status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200]);
  },
);

it('has the room of a client that went away while it waited or sent', async () => {
  const sent = [1, 2, 3].map(() => send(LONGEST_BYTES));
  await until(async () => read.length === 2, 20_000, 1);
  for (const { cut } of sent) cut();
  const later = [1, 2].map(() => send(LONGEST_BYTES));
  const statuses = Promise.all(later.map(({ status }) => status));
  let isDone = false;
  void statuses.then(() => (isDone = true));
  await until(
    async () => {
      for (const { answer } of read.splice(0)) answer();
      return isDone;
    },
    20_000,
    1,
  );
  expect(await statuses).toEqual([200, 200]);
});

it('has room for another workspace, and answers 503 with a time when a body waited too long', async () => {
  const waiting = new AbortController();
  const openRoom = openBodyRoom(LONGEST_BYTES, () => waiting.signal);
  const { signal } = new AbortController();
  using full = openRoom(LARGE, signal);
  await full.hold(LONGEST_BYTES);
  await full.hold(LONGEST_BYTES);
  const third = openRoom(LARGE, signal).hold(LONGEST_BYTES);
  using small = openRoom(SMALL, signal);
  await small.hold(LONGEST_BYTES);
  waiting.abort();
  await expect(third).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    retryAfterSeconds: 10,
  });
});
