import fc from 'fast-check';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import type { Principal } from '#src/accounts/principal.ts';
import { createRateLimiter, requestsPerMinute } from '#src/api/rate-limit.ts';
import { MemoryRequestLog } from '#src/api/memory-request-log.ts';

const MINUTE = 60_000;
const START = 1_000 * MINUTE;
const log = pino({ level: 'silent' });
const principal = { userId: 'u1', plan: 'Free', role: 'admin' } as Principal;

function limiterAt(clock: () => number, config = {}) {
  const now = () => new Date(clock());
  const metrics = { countUnlimitedRequest: () => undefined };
  return createRateLimiter(new MemoryRequestLog(now, new Map()), {
    config,
    log,
    metrics,
    clock: now,
  });
}

/** How many of `count` concurrent requests pass. */
async function passing(take: ReturnType<typeof limiterAt>, count: number): Promise<number> {
  const decisions = await Promise.all(
    Array.from({ length: count }, () => take(principal, 'reference')),
  );
  return decisions.filter((one) => one?.allowed).length;
}

describe('the rate limiter', () => {
  it('passes exactly the limit, even when requests are concurrent', async () => {
    const take = limiterAt(() => START + 5);
    const decisions = await Promise.all(
      Array.from({ length: 200 }, () => take(principal, 'reference')),
    );
    expect(decisions.filter((one) => one?.allowed)).toHaveLength(60);
    const refused = decisions.filter((one) => one?.allowed === false);
    expect(new Set(refused.map((one) => one?.retryAfterSeconds))).toEqual(new Set([60]));
  });

  it('passes a request once its Retry-After is over, and refused requests cost nothing', async () => {
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

  it('counts accounts and families separately', async () => {
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

  it('follows the plan unless configured otherwise, and does not limit the platform family', () => {
    expect(requestsPerMinute({}, principal, 'reference')).toBe(60);
    expect(requestsPerMinute({}, { ...principal, plan: 'Enterprise' }, 'reference')).toBe(3000);
    expect(requestsPerMinute({ RATE_LIMIT_PER_MINUTE: 7 }, principal, 'reference')).toBe(7);
    expect(requestsPerMinute({}, principal, 'platform')).toBeNull();
  });

  it('passes a full limit after an idle minute, but not twice across a minute boundary', async () => {
    let now = START + 1_000;
    const take = limiterAt(() => now);
    expect(await passing(take, 60)).toBe(60);
    now += 61_000;
    expect(await passing(take, 60)).toBe(60);
    now = START + 10 * MINUTE - 3_000;
    expect(await passing(take, 60)).toBe(60);
    now += 10_000;
    expect(await passing(take, 60)).toBe(0);
  });

  it('never passes more than the limit within sixty seconds, and Retry-After is exact to the second', async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 30, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), gaps, async (limit, between) => {
        let now = START;
        const take = limiterAt(() => now, { RATE_LIMIT_PER_MINUTE: limit });
        const passed: number[] = [];
        for (const gap of between) {
          now += gap;
          const within = passed.filter((moment) => moment > now - MINUTE).length;
          const decision = await take(principal, 'reference');
          expect(decision?.allowed).toBe(within < limit);
          if (decision?.allowed) passed.push(now);
          if (decision?.remaining !== 0) continue;
          const frees = (passed.at(-limit) ?? 0) + MINUTE;
          expect(decision.resetAtMs).toBe(frees);
          expect(decision.retryAfterSeconds).toBe(Math.max(1, Math.ceil((frees - now) / 1_000)));
        }
      }),
    );
  });

  it('follows a limit that changes in the middle of a minute', async () => {
    const config = { RATE_LIMIT_PER_MINUTE: 3 };
    let now = START;
    const take = limiterAt(() => (now += 1_000), config);
    expect(await passing(take, 5)).toBe(3);
    config.RATE_LIMIT_PER_MINUTE = 5;
    expect(await passing(take, 5)).toBe(2);
    config.RATE_LIMIT_PER_MINUTE = 2;
    const refused = await take(principal, 'reference');
    expect(refused).toMatchObject({ allowed: false, used: 5, remaining: 0 });
    now += (refused?.retryAfterSeconds ?? 0) * 1_000 - 1_000;
    expect((await take(principal, 'reference'))?.allowed).toBe(true);
  });

  it('passes requests when its store fails or hangs, and counts them', async () => {
    let unlimited = 0;
    const metrics = { countUnlimitedRequest: () => (unlimited += 1) };
    const services = { config: {}, log, metrics, clock: () => new Date(START) };
    const failing = { take: () => Promise.reject(new Error('down')) };
    expect(await createRateLimiter(failing, services)(principal, 'reference')).toBeNull();
    const hanging = { take: () => new Promise<never>(() => undefined) };
    expect(await createRateLimiter(hanging, services)(principal, 'reference')).toBeNull();
    expect(unlimited).toBe(2);
  });
});
