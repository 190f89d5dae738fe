import type { SourcePolicy } from './source-http.ts';

/** Waits that the run can be called out of: rejects with the signal's reason. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Keeps the requests of one run to what its source may be asked: so many at once, so many a second. */
export interface RequestLimiter {
  /** Runs `work` when it is its turn. Turns are given in the order of asking. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Nothing new begins for so long, because the source said so. */
  holdFor(ms: number): void;
}

export function createRequestLimiter(options: {
  policy: SourcePolicy;
  signal: AbortSignal;
  clock: () => Date;
  wait: Wait;
}): RequestLimiter {
  const { policy, signal, clock, wait } = options;
  const spacingMs = policy.requestsPerSecond === null ? 0 : 1000 / policy.requestsPerSecond;
  const waiting: (() => void)[] = [];
  let running = 0;
  let nextStartMs = 0;

  const enter = async (): Promise<void> => {
    if (running < policy.concurrentRequests) {
      running += 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    // Whoever leaves hands its place on, so `running` stays as it is.
    waiting.push(turn.resolve);
    await turn.promise;
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };

  return {
    async run(work) {
      await enter();
      try {
        signal.throwIfAborted();
        const nowMs = clock().getTime();
        const startMs = Math.max(nowMs, nextStartMs);
        nextStartMs = startMs + spacingMs;
        if (startMs > nowMs) await wait(startMs - nowMs, signal);
        return await work();
      } finally {
        leave();
      }
    },
    holdFor(ms) {
      nextStartMs = Math.max(nextStartMs, clock().getTime() + ms);
    },
  };
}
