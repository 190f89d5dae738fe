/** A signal aborted by another signal or by a timeout, whichever comes first. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Whether the time ran out. */
  readonly expired: boolean;
}

/**
 * Like `AbortSignal.any([signal, AbortSignal.timeout(…)])`, but leaves no listener on `signal`, which may live as long
 * as the process.
 */
export function startDeadline(
  signal: AbortSignal,
  timeoutMs: number,
  reason?: () => Error,
): Deadline {
  const controller = new AbortController();
  let expired = false;
  const onAbort = (): void => controller.abort(signal.reason);
  const timer = setTimeout(() => {
    expired = true;
    controller.abort(reason?.());
  }, timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    signal: controller.signal,
    get expired() {
      return expired && !signal.aborted;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Rejects with the signal's reason as soon as it is aborted; a later result is passed to `onLate`. */
export async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  onLate: (value: T) => void = () => undefined,
): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => {
    promise.then(onLate, () => undefined);
    // An abort reason may be any value.
    aborted.reject(signal.reason as Error);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** `untilAborted` for one promise after another, with one listener for all of them. */
export class AbortWatch implements Disposable {
  readonly #signal: AbortSignal;
  /** Rejects the current wait; without effect after it. */
  #reject: ((reason: unknown) => void) | null = null;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#abort);
  }

  /** @throws the signal's reason as soon as it is aborted */
  waitFor<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#signal.aborted) this.#abort();
      promise.then(resolve, reject);
    });
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#reject?.(this.#signal.reason);
}
