/** The claim on a row is gone: it was canceled, or another worker took it over. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

const RENEW_EVERY_MS = 5_000;

/**
 * Renews a lease until it is disposed; one renewal at a time. The signal is aborted with `LeaseLost` as soon as a
 * renewal says that the lease is gone. A renewal that fails is no such word: the lease outlives several.
 */
export function keepLease(renew: () => Promise<boolean>): Disposable & { signal: AbortSignal } {
  const lost = new AbortController();
  let pending: Promise<void> | null = null;
  const timer = setInterval(() => {
    pending ??= renew()
      .then((holds) => {
        if (!holds) lost.abort(new LeaseLost('The work was canceled or taken over.'));
      })
      .catch(() => undefined)
      .finally(() => {
        pending = null;
      });
  }, RENEW_EVERY_MS);
  timer.unref();
  return {
    signal: lost.signal,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
