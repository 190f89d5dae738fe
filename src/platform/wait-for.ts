import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, or rejects with the signal's reason as soon as it is aborted. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}
