import type { Logger } from 'pino';
import { ServerUnavailable } from './errors.ts';
import { waitFor } from './wait-for.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
const LOG_INTERVAL_MS = 10_000;

/** How long a starting process waits for an unavailable server. */
export interface WaitPolicy {
  readonly log: Logger;
  /** Ends the wait at once, with its reason. */
  readonly signal: AbortSignal | null;
  /** With 0, one attempt is made. */
  readonly timeoutMs: number;
}

/** For servers that must already be available. */
export function noWaiting(log: Logger): WaitPolicy {
  return { log, signal: null, timeoutMs: 0 };
}

/**
 * Calls `open` repeatedly while the server is unavailable, and logs from time to time what it waits for.
 * @throws ServerUnavailable when the time is up, the signal's reason, or, at once, any other error of `open`
 */
export async function waitForServer<T>(
  open: () => Promise<T>,
  { log, signal, timeoutMs }: WaitPolicy,
  pause: typeof waitFor = waitFor,
): Promise<T> {
  const stop = signal ?? new AbortController().signal;
  const startedAt = performance.now();
  let nextLineAt = startedAt;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const opened = await unlessAborted(open(), stop);
      if (attempt > 0) log.info({ attempts: attempt + 1 }, 'the server answers now');
      return opened;
    } catch (error) {
      const now = performance.now();
      if (!(error instanceof ServerUnavailable) || now - startedAt >= timeoutMs) throw error;
      if (now >= nextLineAt) {
        const { server, reason } = error;
        log.warn({ server, reason }, 'waiting for a server that does not answer');
        nextLineAt = now + LOG_INTERVAL_MS;
      }
    }
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10), MAX_PAUSE_MS), stop);
  }
}

/** An attempt in progress may take seconds to fail; an aborted caller does not wait for it. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
