import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Target } from './ask-millrace.ts';
import type { SyntheticItem } from './synthetic-documents.ts';

const CONNECTIONS = 64;
const BATCH_SIZE = 100;
const BATCHES_AT_ONCE = 4;
const POLL_MS = 50;
const INDEX_TIMEOUT_MS = 600_000;

/** A way to send documents. Resolves when the last one is acknowledged. */
export type Push = (target: Target, items: string[]) => Promise<void>;

export const PUSHES: Record<string, Push> = {
  [`single, ${CONNECTIONS} connections`]: pushSingles,
  [`batches of ${BATCH_SIZE}`]: pushBatches,
  'one NDJSON stream': pushStream,
};

export interface PushTimes {
  acceptSeconds: number;
  /** From the first byte sent until no document is waiting. */
  indexedSeconds: number;
}

/**
 * Pushes and waits until everything is indexed, for which it asks every `pollMs`.
 * @throws when a document is refused or fails
 */
export async function timePush(
  target: Target,
  items: readonly SyntheticItem[],
  push: Push,
  pollMs: number = POLL_MS,
): Promise<PushTimes> {
  // Serializing JSON is the client's cost, so it happens before the clock starts.
  const bodies = items.map((item) => JSON.stringify(item));
  const startedMs = performance.now();
  await push(target, bodies);
  const acceptSeconds = (performance.now() - startedMs) / 1_000;
  await untilIndexed(target, pollMs);
  return { acceptSeconds, indexedSeconds: (performance.now() - startedMs) / 1_000 };
}

async function pushSingles(target: Target, items: string[]): Promise<void> {
  await using pool = openPool(target, CONNECTIONS);
  await inParallel(CONNECTIONS, items, async (body) => {
    await post(pool, target, '/service-api/ingestion', body);
  });
}

async function pushBatches(target: Target, items: string[]): Promise<void> {
  const batches: string[] = [];
  for (let start = 0; start < items.length; start += BATCH_SIZE) {
    batches.push(`{"documents":[${items.slice(start, start + BATCH_SIZE).join(',')}]}`);
  }
  await using pool = openPool(target, BATCHES_AT_ONCE);
  await inParallel(BATCHES_AT_ONCE, batches, async (body) => {
    const answer = await post(pool, target, '/service-api/ingestion/batch', body);
    if (!answer.endsWith('"failed":0}')) throw new Error(`Refused: ${answer.slice(0, 500)}`);
  });
}

async function pushStream(target: Target, items: string[]): Promise<void> {
  await using pool = openPool(target, 1);
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/service-api/ingestion/batch',
    headers: { ...headersOf(target), 'content-type': 'application/x-ndjson' },
    body: Readable.from(linesOf(items), { objectMode: false }),
    bodyTimeout: INDEX_TIMEOUT_MS,
  });
  const text = await body.text();
  const answered = text.split('\n').filter((line) => line.includes('"document_id"')).length;
  if (statusCode !== 200 || answered !== items.length) {
    throw new Error(`${answered} of ${items.length} lines were accepted: ${text.slice(0, 500)}`);
  }
}

function openPool({ url }: Target, connections: number): Pool & AsyncDisposable {
  const pool = new Pool(url, { connections });
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.close() });
}

function* linesOf(items: string[]): Generator<string> {
  for (const item of items) yield `${item}\n`;
}

async function post(pool: Pool, target: Target, path: string, body: string): Promise<string> {
  const response = await pool.request({ method: 'POST', path, headers: headersOf(target), body });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text}`);
  return text;
}

function headersOf({ adminKey }: Target): Record<string, string> {
  return { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
}

async function inParallel(
  workers: number,
  items: string[],
  work: (item: string) => Promise<void>,
): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: workers }, run));
}

async function untilIndexed(target: Target, pollMs: number): Promise<void> {
  await using pool = openPool(target, 1);
  const deadlineMs = performance.now() + INDEX_TIMEOUT_MS;
  for (;;) {
    const path = '/service-api/ingestion/stats';
    const response = await pool.request({ method: 'GET', path, headers: headersOf(target) });
    const { counts } = (await response.body.json()) as { counts: Record<string, number> };
    if (counts['failed']) throw new Error(`${counts['failed']} documents failed.`);
    if ((counts['accepted'] ?? 0) + (counts['indexing'] ?? 0) === 0) return;
    if (performance.now() > deadlineMs) throw new Error('Gave up: documents are still waiting.');
    await wait(pollMs);
  }
}
