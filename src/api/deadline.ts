import { setTimeout as delay } from 'node:timers/promises';

/** The promise's value, or an error with `message` when it takes longer than `ms`. */
export async function withDeadline<T>(
  promise: Promise<T>,
  ms: number,
  message: string,
): Promise<T> {
  const timer = new AbortController();
  const expired = delay(ms, undefined, { signal: timer.signal }).then(() => {
    throw new Error(message);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    timer.abort();
    expired.catch(() => undefined); // only the abort itself may reject
    promise.catch(() => undefined); // nobody is left to handle a late failure
  }
}
