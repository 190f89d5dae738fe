import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items that arrive at once are passed on in groups of this size, so that other tasks run in between. */
const ITEMS_PER_TURN = 16;

export interface TokenDeadlines<T> {
  /** Time until the first item that counts as progress. */
  firstMs: number;
  /** Time between two items that count as progress. */
  nextMs: number;
  /** Whether an item is progress; keep-alives are not. */
  counts: (item: T) => boolean;
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
  { firstMs, nextMs, counts, signal }: TokenDeadlines<T>,
): AsyncGenerator<T, void> {
  signal.throwIfAborted();
  const iterator = source[Symbol.asyncIterator]();
  const deadline = new Deadline(firstMs, signal);
  let isDone = false;
  try {
    for (let items = 1; ; items += 1) {
      const step = await deadline.waitFor(iterator.next());
      if (step.done === true) {
        isDone = true;
        return;
      }
      yield step.value;
      if (items % ITEMS_PER_TURN === 0) await nextTurn();
      // Measured from here, after `yield`, to exclude the consumer's own time.
      if (counts(step.value)) deadline.restart(nextMs);
    }
  } finally {
    deadline.end();
    // Not awaited: a source that hangs in `next` would also hang in `return`.
    if (!isDone) iterator.return?.().then(undefined, () => undefined);
  }
}

/** One timer and one listener for all items of a stream. */
class Deadline {
  readonly #signal: AbortSignal;
  #limitMs: number;
  #timer: NodeJS.Timeout;
  #isOver = false;
  /** Rejects the current wait; without effect after the last one. */
  #reject: ((reason: unknown) => void) | null = null;

  constructor(limitMs: number, signal: AbortSignal) {
    this.#signal = signal;
    this.#limitMs = limitMs;
    this.#timer = setTimeout(this.#expire, limitMs);
    signal.addEventListener('abort', this.#abort);
  }

  restart(limitMs: number): void {
    this.#isOver = false;
    if (limitMs === this.#limitMs) {
      this.#timer.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#limitMs = limitMs;
    this.#timer = setTimeout(this.#expire, limitMs);
  }

  /** @throws StreamTimeout, or the signal's reason */
  waitFor<T>(next: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#signal.aborted) this.#abort();
      // The deadline passed while the consumer was busy; an item that is already there is still in time.
      if (this.#isOver) this.#timer = setTimeout(this.#expire, 0);
      next.then(resolve, reject);
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#reject?.(this.#signal.reason);
  readonly #expire = (): void => {
    this.#isOver = true;
    this.#reject?.(new StreamTimeout(`nothing arrived for ${this.#limitMs / 1000} s`));
  };
}
