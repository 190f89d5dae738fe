import type { SourcePolicy } from './source-http.ts';

/** A wait that the run can interrupt: rejects with the signal's reason. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Limits the requests of one run to what its source allows: concurrent ones, and per second. */
export interface RequestLimiter {
  /** Runs `work` when its turn comes, first come, first served. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Nothing new starts for this long, because the source asked for it. */
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
    // A finishing caller passes its place on, so `running` does not change.
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
