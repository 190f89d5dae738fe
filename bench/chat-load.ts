import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

/** The server under load. */
export interface ChatTarget {
  url: string;
  path: string;
  headers: Record<string, string>;
}

export interface ChatLoad {
  /** Request bodies, one per stream. */
  bodies: readonly object[];
  /** Requests are spread evenly over this time. */
  arrivalsMs: number;
  /** Tokens that every answer must contain. */
  tokens: number;
}

export interface LoadResult {
  /** Per stream: time from request to first packet, sorted. */
  firstMs: number[];
  /** Per stream: time from request to the end of the answer, sorted. */
  wholeMs: number[];
  /** Peak number of streams open at once after their first packet. */
  openAtOnce: number;
  /** From the first request to the end of the last answer. */
  seconds: number;
}

const FIRST_PACKET = '"obj":';
const TIMEOUT_MS = 60_000;

/** Opens the streams and reads them to the end. @throws when an answer is incomplete */
export async function loadStreams(target: ChatTarget, load: ChatLoad): Promise<LoadResult> {
  await using pool = openPool(target, load.bodies.length);
  const startedMs = performance.now();
  const result: LoadResult = { firstMs: [], wholeMs: [], openAtOnce: 0, seconds: 0 };
  let open = 0;
  await Promise.all(
    load.bodies.map(async (body, index) => {
      await pause((load.arrivalsMs * index) / load.bodies.length);
      const askedMs = performance.now();
      const stream = await ask(pool, target, body);
      await stream.first;
      result.firstMs.push(performance.now() - askedMs);
      open += 1;
      result.openAtOnce = Math.max(result.openAtOnce, open);
      assertWhole(await stream.whole, load.tokens);
      result.wholeMs.push(performance.now() - askedMs);
      open -= 1;
    }),
  );
  result.firstMs.sort((a, b) => a - b);
  result.wholeMs.sort((a, b) => a - b);
  result.seconds = (performance.now() - startedMs) / 1_000;
  return result;
}

/** Opens the streams, waits for the first packet of each, then disconnects. */
export async function abandonStreams(target: ChatTarget, bodies: readonly object[]): Promise<void> {
  await using pool = openPool(target, bodies.length);
  await Promise.all(
    bodies.map(async (body) => {
      const stream = await ask(pool, target, body);
      await stream.first;
      stream.leave();
    }),
  );
}

function openPool({ url }: ChatTarget, connections: number): Pool & AsyncDisposable {
  const pool = new Pool(url, { connections, bodyTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS });
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.destroy() });
}

async function ask(
  pool: Pool,
  { path, headers }: ChatTarget,
  question: object,
): Promise<{ first: Promise<void>; whole: Promise<string>; leave: () => void }> {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(question),
  });
  if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
  const first = Promise.withResolvers<void>();
  const whole = Promise.withResolvers<string>();
  let text = '';
  let hasFirst = false;
  body.setEncoding('utf8');
  body.on('data', (part: string) => {
    text += part;
    if (hasFirst || !text.includes(FIRST_PACKET)) return;
    hasFirst = true;
    first.resolve();
  });
  body.on('end', () => whole.resolve(text));
  body.on('error', (error) => {
    first.reject(error);
    whole.reject(error);
  });
  // A stream that is abandoned never awaits the rest.
  whole.promise.catch(() => undefined);
  return { first: first.promise, whole: whole.promise, leave: () => body.destroy() };
}

function assertWhole(text: string, tokens: number): void {
  const last = `word${tokens - 1}`;
  if (!text.includes(last)) throw new Error(`An answer broke off: ${text.slice(-500)}`);
}
