export interface TokenDeadlines<T> {
  /** Time until the first item that counts. */
  firstMs: number;
  /** Time between two items that count. */
  nextMs: number;
  /** Whether an item is progress; keep-alives are not. */
  counts(item: T): boolean;
  signal: AbortSignal;
}

/** A stream did not deliver in time. */
export class StreamTimeout extends Error {
  override readonly name = 'StreamTimeout';
}

/**
 * Passes `source` on, but waits for no item beyond its deadline or the signal, even when `source` ignores both.
 * @throws StreamTimeout, or the signal's reason
 */
export async function* iterateWithin<T>(
  source: AsyncIterable<T>,
  deadlines: TokenDeadlines<T>,
): AsyncGenerator<T, void> {
  const iterator = source[Symbol.asyncIterator]();
  let limitMs = deadlines.firstMs;
  let endsAt = performance.now() + limitMs;
  let isDone = false;
  try {
    for (;;) {
      const step = await nextBefore(iterator, endsAt, limitMs, deadlines.signal);
      if (step.done === true) {
        isDone = true;
        return;
      }
      yield step.value;
      if (deadlines.counts(step.value)) {
        limitMs = deadlines.nextMs;
        // Counted from here, after `yield`: the consumer's own time is not the source's.
        endsAt = performance.now() + limitMs;
      }
    }
  } finally {
    // Not awaited: a source that hangs in `next` would hang in `return` as well.
    if (!isDone) iterator.return?.().then(undefined, () => undefined);
  }
}

async function nextBefore<T>(
  iterator: AsyncIterator<T>,
  endsAt: number,
  limitMs: number,
  signal: AbortSignal,
): Promise<IteratorResult<T>> {
  signal.throwIfAborted();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  const timer = setTimeout(
    () => reject(new StreamTimeout(`nothing arrived for ${limitMs / 1000} s`)),
    Math.max(0, endsAt - performance.now()),
  );
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([iterator.next(), stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
