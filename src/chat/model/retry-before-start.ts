import { setTimeout as wait } from 'node:timers/promises';

import type { ModelFailure } from './model-failure.ts';

const MAX_RETRIES = 2;
/** While a user waits, a provider that asks for a longer pause than this counts as down. */
const MAX_RETRY_DELAY_MS = 10_000;

/**
 * The items of `open()`, reopened when it fails before the first item; a later retry would repeat items.
 * @param options.retryDelayMs pause before the first retry; it doubles each time, half of it random
 * @throws the error of the last failure, or the signal's reason
 */
export async function* retryBeforeStart<T>(
  open: () => AsyncIterable<T>,
  options: {
    describe: (error: unknown) => ModelFailure;
    retryDelayMs: number;
    signal: AbortSignal;
  },
): AsyncGenerator<T, void> {
  for (let retries = 0; ; retries += 1) {
    let started = false;
    try {
      for await (const item of open()) {
        started = true;
        yield item;
      }
      return;
    } catch (error) {
      options.signal.throwIfAborted();
      const failure = options.describe(error);
      const delayMs = failure.retryAfterMs ?? backoffMs(retries, options.retryDelayMs);
      const isWorthwhile = failure.retryNow && delayMs <= MAX_RETRY_DELAY_MS;
      if (started || !isWorthwhile || retries >= MAX_RETRIES) throw failure.problem;
      await pause(delayMs, options.signal);
    }
  }
}

async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(delayMs, undefined, { signal });
  } catch {
    // The timer wraps the reason in its own error.
    signal.throwIfAborted();
  }
}

/** Exponential with jitter: half of the pause is random, so that callers that failed together do not retry together. */
function backoffMs(retries: number, firstMs: number): number {
  const ceiling = firstMs * 2 ** retries;
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}
