import type { RequestMoments } from '#src/platform/rate-limit-store.ts';
import { type RequestLog, type RequestTaken, WINDOW_MS } from './request-log.ts';

/** Requests between sweeps of inactive accounts. */
const SWEEP_EVERY = 10_000;

/** For the single process of the embedded size, which keeps `moments` over a restart. */
export class MemoryRequestLog implements RequestLog {
  readonly #clock: () => Date;
  readonly #moments: RequestMoments;
  #taken = 0;

  constructor(clock: () => Date, moments: RequestMoments) {
    this.#clock = clock;
    this.#moments = moments;
  }

  async take(account: string, limit: number): Promise<RequestTaken> {
    const nowMs = this.#clock().getTime();
    this.#sweepSometimes(nowMs);
    const moments = this.#moments.get(account) ?? [];
    dropExpired(moments, nowMs);
    const allowed = moments.length < limit;
    if (allowed) {
      moments.push(nowMs);
      this.#moments.set(account, moments);
    }
    const used = moments.length;
    const firstMs = moments[used - Math.min(used, limit)] ?? nowMs;
    return { allowed, used, nowMs, firstMs, lastMs: moments.at(-1) ?? nowMs };
  }

  #sweepSometimes(nowMs: number): void {
    this.#taken += 1;
    if (this.#taken % SWEEP_EVERY !== 0) return;
    for (const [account, moments] of this.#moments) {
      if ((moments.at(-1) ?? 0) <= nowMs - WINDOW_MS) this.#moments.delete(account);
    }
  }
}

function dropExpired(moments: number[], nowMs: number): void {
  const kept = moments.findIndex((moment) => moment > nowMs - WINDOW_MS);
  moments.splice(0, kept === -1 ? moments.length : kept);
}
