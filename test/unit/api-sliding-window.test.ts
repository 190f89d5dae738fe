import fc from 'fast-check';
import pino from 'pino';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { describe, expect, it } from 'vitest';
import type { Principal } from '#src/accounts/principal.ts';
import { createRateLimiter, requestsPerMinute } from '#src/api/rate-limit.ts';
import { slidingWindow } from '#src/api/sliding-window.ts';

const MINUTE = 60_000;
const START = 1_000 * MINUTE;
const log = pino({ level: 'silent' });
const principal = { userId: 'u1', plan: 'Free', role: 'admin' } as Principal;

function limiterAt(clock: () => number, config = {}) {
  const counter = new RateLimiterMemory({ points: 1, duration: 120 });
  return createRateLimiter(counter, { config, log, clock: () => new Date(clock()) });
}

describe('the sliding window', () => {
  it('lets the limit through in a fresh minute and then says when the next will pass', () => {
    const at = { limit: 60, previous: 0, nowMs: START + 10_000 };
    expect(slidingWindow({ ...at, current: 59 })).toMatchObject({ allowed: true, remaining: 0 });
    const refused = slidingWindow({ ...at, current: 60 });
    expect(refused).toMatchObject({ allowed: false, used: 60, remaining: 0 });
    expect(refused.resetAtMs).toBe(START + MINUTE + 1_000);
  });

  it('still counts the share of the last minute that it overlaps', () => {
    const half = { limit: 60, previous: 60, nowMs: START + 30_000 };
    expect(slidingWindow({ ...half, current: 29 }).allowed).toBe(true);
    expect(slidingWindow({ ...half, current: 30 }).allowed).toBe(false);
  });

  it('never counts refused requests that are still being taken back', () => {
    const half = { limit: 60, previous: 60, nowMs: START + 30_000 };
    expect(slidingWindow({ ...half, current: 130 })).toEqual(
      slidingWindow({ ...half, current: 30 }),
    );
  });

  it('names a moment at which the next request passes, and none a second earlier', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const drawn = fc.record({
      limit: fc.integer({ min: 1, max: 5_000 }),
      before: share,
      now: share,
      elapsedMs: fc.integer({ min: 0, max: MINUTE - 1 }),
    });
    fc.assert(
      fc.property(drawn, ({ limit, before, now, elapsedMs }) => {
        const previous = Math.round(limit * before);
        const room = limit - (previous * (MINUTE - elapsedMs)) / MINUTE;
        const counts = { limit, previous, current: Math.floor(Math.max(0, room) * now) };
        const decision = slidingWindow({ ...counts, nowMs: START + elapsedMs });
        if (decision.remaining > 0) return;
        const current = counts.current + (decision.allowed ? 1 : 0);
        expect(allowedAt(decision.resetAtMs, { ...counts, current })).toBe(true);
        expect(allowedAt(decision.resetAtMs - 1_000, { ...counts, current })).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

function allowedAt(nowMs: number, counts: { limit: number; previous: number; current: number }) {
  const windowsLater = Math.floor(nowMs / MINUTE) - START / MINUTE;
  if (nowMs < START) return false;
  if (windowsLater === 0) return slidingWindow({ ...counts, nowMs }).allowed;
  const limit = counts.limit;
  const previous = windowsLater === 1 ? Math.min(counts.current, limit) : 0;
  return slidingWindow({ limit, previous, current: 0, nowMs }).allowed;
}

describe('the rate limiter', () => {
  it('lets exactly the limit through, also at the same moment', async () => {
    const take = limiterAt(() => START + 5);
    const decisions = await Promise.all(
      Array.from({ length: 200 }, () => take(principal, 'reference')),
    );
    expect(decisions.filter((one) => one?.allowed)).toHaveLength(60);
    const refused = decisions.filter((one) => one?.allowed === false);
    expect(new Set(refused.map((one) => one?.retryAfterSeconds))).toEqual(new Set([61]));
  });

  it('lets one pass when its own Retry-After is over, and refused ones cost nothing', async () => {
    let now = START + 20_000;
    const take = limiterAt(() => now);
    for (let count = 0; count < 60; count += 1) await take(principal, 'reference');
    for (let count = 0; count < 60; count += 1) {
      expect((await take(principal, 'reference'))?.allowed).toBe(false);
    }
    const refused = await take(principal, 'reference');
    now += (refused?.retryAfterSeconds ?? 0) * 1_000;
    expect((await take(principal, 'reference'))?.allowed).toBe(true);
  });

  it('counts accounts and families apart', async () => {
    const take = limiterAt(() => START, {
      RATE_LIMIT_PER_MINUTE: 1,
      PLATFORM_RATE_LIMIT_PER_MINUTE: 1,
    });
    const other = { ...principal, userId: 'u2' } as Principal;
    const first = await Promise.all([
      take(principal, 'reference'),
      take(principal, 'platform'),
      take(other, 'reference'),
    ]);
    expect(first.map((one) => one?.allowed)).toEqual([true, true, true]);
    expect((await take(principal, 'platform'))?.allowed).toBe(false);
  });

  it('follows the plan unless a setting says otherwise, and leaves the platform family free', () => {
    expect(requestsPerMinute({}, principal, 'reference')).toBe(60);
    expect(requestsPerMinute({}, { ...principal, plan: 'Enterprise' }, 'reference')).toBe(3000);
    expect(requestsPerMinute({ RATE_LIMIT_PER_MINUTE: 7 }, principal, 'reference')).toBe(7);
    expect(requestsPerMinute({}, principal, 'platform')).toBeNull();
  });

  it('lets requests pass when its store fails or hangs', async () => {
    const services = { config: {}, log, clock: () => new Date(START) };
    const failing = new RateLimiterMemory({ points: 1, duration: 120 });
    failing.penalty = () => Promise.reject(new Error('down'));
    expect(await createRateLimiter(failing, services)(principal, 'reference')).toBeNull();
    failing.penalty = () => new Promise(() => undefined);
    expect(await createRateLimiter(failing, services)(principal, 'reference')).toBeNull();
  });
});
