import type { Logger } from 'pino';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
} from 'rate-limiter-flexible';
import type { Principal } from '#src/accounts/principal.ts';
import { PLANS } from '#src/billing/plans.ts';
import type { Config } from '#src/platform/config.ts';
import type { RateLimitStore } from '#src/platform/rate-limit-store.ts';
import { withDeadline } from './deadline.ts';
import type { Family } from './route.ts';
import { slidingWindow, WINDOW_MS, type WindowDecision } from './sliding-window.ts';

/** Above this the store is in trouble, and a request should not wait for a count. */
const STORE_DEADLINE_MS = 1_000;
/** A count is read during its own minute and the next. */
const KEEP_SECONDS = (2 * WINDOW_MS) / 1000;
const LOG_FAILURE_EVERY_MS = 10_000;

export interface RateLimitDecision extends WindowDecision {
  limit: number;
  /** Whole seconds, at least 1: for `Retry-After`. */
  retryAfterSeconds: number;
}

/** Counts a request; null when it is not limited, or when the store failed and the request may pass. */
export type TakeRequest = (
  principal: Principal,
  family: Family,
) => Promise<RateLimitDecision | null>;

export interface RateLimitServices {
  readonly config: Pick<Config, 'RATE_LIMIT_PER_MINUTE' | 'PLATFORM_RATE_LIMIT_PER_MINUTE'>;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** The limit of a family for a principal's plan, in requests a minute; null for none. */
export function requestsPerMinute(
  config: RateLimitServices['config'],
  principal: Principal,
  family: Family,
): number | null {
  return family === 'platform'
    ? (config.PLATFORM_RATE_LIMIT_PER_MINUTE ?? null)
    : (config.RATE_LIMIT_PER_MINUTE ?? PLANS[principal.plan].requestsPerMinute);
}

/** Opens the counter that all API processes of this deployment share. */
export function openCounter(store: RateLimitStore): RateLimiterAbstract {
  // The library's own limit is not used: it counts fixed windows, of which two make a sliding one.
  const options = { keyPrefix: 'millrace-rate', points: 1, duration: KEEP_SECONDS };
  switch (store.kind) {
    case 'memory':
      return new RateLimiterMemory(options);
    case 'redis':
      return new RateLimiterRedis({
        ...options,
        storeClient: store.client,
        rejectIfRedisNotReady: true,
      });
    case 'postgres':
      return new RateLimiterPostgres({
        ...options,
        storeClient: store.pool,
        storeType: 'pool',
        tableName: 'request_count',
        tableCreated: true, // by the migrations
      });
  }
}

/** Counts requests per user account and family over a sliding minute. */
export function createRateLimiter(
  counter: RateLimiterAbstract,
  { config, clock, log }: RateLimitServices,
): TakeRequest {
  let loggedAtMs = -Infinity;
  return async function takeRequest(principal, family) {
    const limit = requestsPerMinute(config, principal, family);
    if (limit === null) return null;
    const nowMs = clock().getTime();
    try {
      return await withDeadline(
        take(counter, `${family}:${principal.userId}`, limit, nowMs),
        STORE_DEADLINE_MS,
        'the rate limit store did not answer in time',
      );
    } catch (error) {
      if (nowMs - loggedAtMs >= LOG_FAILURE_EVERY_MS) {
        loggedAtMs = nowMs;
        log.warn({ err: error }, 'the rate limit store failed; requests pass uncounted');
      }
      return null;
    }
  };
}

async function take(
  counter: RateLimiterAbstract,
  account: string,
  limit: number,
  nowMs: number,
): Promise<RateLimitDecision> {
  const minute = Math.floor(nowMs / WINDOW_MS);
  const [counted, before] = await Promise.all([
    counter.penalty(`${account}:${minute}`),
    counter.get(`${account}:${minute - 1}`),
  ]);
  // Counting first makes concurrent requests see each other; refused ones are taken back.
  const current = Math.max(counted.consumedPoints - 1, 0);
  const previous = Math.min(Math.max(before?.consumedPoints ?? 0, 0), limit);
  const decision = slidingWindow({ limit, previous, current, nowMs });
  if (!decision.allowed) await counter.reward(`${account}:${minute}`);
  return {
    ...decision,
    limit,
    retryAfterSeconds: Math.max(1, Math.ceil((decision.resetAtMs - nowMs) / 1000)),
  };
}
