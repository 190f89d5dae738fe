import { type ApiFailure, failureOf, networkReason, noAnswer } from './api-failure.ts';

/** How long to keep trying when nothing answers, and when the service says "not now" (429, 503). */
export interface Patience {
  unreachableMs: number;
  busyMs: number;
}

/** What a call needs to be retried. */
export interface Retrying {
  url: string;
  signal: AbortSignal;
  note: (sentence: string) => void;
  wait: (delayMs: number) => Promise<void>;
}

/** Doubles from one second, as the API recommends for 429. */
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 120_000;
const BUSY = new Set([429, 503]);

/** "Not now": the failure to report when patience runs out, and the delay that the service requested. */
class Busy extends Error {
  override readonly name = 'Busy';
  readonly failure: ApiFailure;
  readonly retryAfterMs: number | null;

  constructor(failure: ApiFailure, retryAfterMs: number | null) {
    super(failure.message);
    this.failure = failure;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The error for an unsuccessful answer: one that `retry` waits for, or a final one. */
export async function refusal(call: string, response: Response): Promise<Error> {
  const failure = await failureOf(call, response);
  if (!BUSY.has(response.status)) return failure;
  return new Busy(failure, readRetryAfter(response.headers.get('retry-after')));
}

/** Milliseconds from now, from seconds or a date (RFC 9110, section 10.2.3); null for anything else. */
export function readRetryAfter(header: string | null, nowMs: number = Date.now()): number | null {
  if (header === null) return null;
  const delayMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(delayMs, 0), LONGEST_RETRY_AFTER_MS);
}

/** Retries until the waits add up to the caller's patience; each kind of failure has its own limit. */
export async function retry<T>(
  connection: Retrying,
  patience: Patience,
  repeatable: boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  let waitedMs = 0;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS)) {
    try {
      return await attempt();
    } catch (error) {
      connection.signal.throwIfAborted();
      const trouble = readTrouble(error, connection.url, patience, repeatable);
      const pauseMs = Math.max(delayMs, trouble.retryAfterMs ?? 0);
      waitedMs += pauseMs;
      if (waitedMs > trouble.patienceMs) throw trouble.failure;
      connection.note(`${trouble.summary} Trying again in ${Math.ceil(pauseMs / 1000)} s.`);
      await connection.wait(pauseMs);
    }
  }
}

interface Trouble {
  failure: Error;
  summary: string;
  retryAfterMs: number | null;
  patienceMs: number;
}

function readTrouble(
  error: unknown,
  url: string,
  patience: Patience,
  repeatable: boolean,
): Trouble {
  if (error instanceof Busy) {
    const { failure, retryAfterMs } = error;
    return {
      failure,
      summary: `The service is busy: ${failure.message}`,
      retryAfterMs,
      patienceMs: patience.busyMs,
    };
  }
  if (!isNetworkFailure(error)) throw error;
  const reason = networkReason(error);
  const mayRepeat = repeatable || reason === 'ECONNREFUSED';
  return {
    failure: noAnswer(url, error),
    summary: `No answer from ${url} (${reason}).`,
    retryAfterMs: null,
    patienceMs: mayRepeat ? patience.unreachableMs : 0,
  };
}

/** fetch reports a broken connection as a TypeError, and a passed deadline as a TimeoutError. */
function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');
}
