/** The claim on a row is gone: the work was canceled, or another worker took it over. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

const RENEW_EVERY_MS = 5_000;

/**
 * Renews a lease until it is disposed; one renewal at a time. Aborts the signal with `LeaseLost` as soon as a renewal
 * finds the lease gone. A failed renewal does not abort it: the lease outlives several.
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
