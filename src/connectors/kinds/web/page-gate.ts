/** Lets a few callers in at a time, the others in turn. */
export interface PageGate {
  /**
   * @returns a function that lets the next caller in
   */
  enter(): Promise<() => void>;
  inside(): number;
}

export function openPageGate(width: number): PageGate {
  const waiting: (() => void)[] = [];
  let inside = 0;
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else inside -= 1;
  };
  return {
    inside: () => inside,
    async enter() {
      if (inside < width) inside += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return leave;
    },
  };
}

/** The promise's result, or the signal's reason as soon as it is aborted. */
export async function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
