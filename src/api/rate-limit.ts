import type { Logger } from 'pino';
import type { Principal } from '#src/accounts/principal.ts';
import { PLANS } from '#src/billing/plans.ts';
import type { Config } from '#src/platform/config.ts';
import type { Metrics } from '#src/platform/metrics.ts';
import { withDeadline } from './deadline.ts';
import { type RequestLog, type RequestTaken, WINDOW_MS } from './request-log.ts';
import type { Family } from './route.ts';

/** A slower store is in trouble, and a request should not wait for its count. */
const STORE_DEADLINE_MS = 1_000;
const LOG_FAILURE_EVERY_MS = 10_000;

export interface RateLimitDecision {
  allowed: boolean;
  limit: number;
  /** Requests of the last minute, including the current one if it is admitted. */
  used: number;
  remaining: number;
  /** When the full limit is available again, while some of it remains; otherwise when the next request is admitted. */
  resetAtMs: number;
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
  readonly metrics: Pick<Metrics, 'countUnlimitedRequest'>;
}

/** A family's limit for a principal's plan, in requests per minute; null for none. */
export function requestsPerMinute(
  config: RateLimitServices['config'],
  principal: Principal,
  family: Family,
): number | null {
  return family === 'platform'
    ? (config.PLATFORM_RATE_LIMIT_PER_MINUTE ?? null)
    : (config.RATE_LIMIT_PER_MINUTE ?? PLANS[principal.plan].requestsPerMinute);
}

/** Limits the requests per user account and family within any sixty seconds. */
export function createRateLimiter(
  requests: RequestLog,
  { config, clock, log, metrics }: RateLimitServices,
): TakeRequest {
  let loggedAtMs = -Infinity;
  return async function takeRequest(principal, family) {
    const limit = requestsPerMinute(config, principal, family);
    if (limit === null) return null;
    try {
      const taken = await withDeadline(
        requests.take(`${family}:${principal.userId}`, limit),
        STORE_DEADLINE_MS,
        'the rate limit store did not answer in time',
      );
      return decisionOf(taken, limit);
    } catch (error) {
      metrics.countUnlimitedRequest();
      const nowMs = clock().getTime();
      if (nowMs - loggedAtMs >= LOG_FAILURE_EVERY_MS) {
        loggedAtMs = nowMs;
        log.warn({ err: error }, 'the rate limit store failed; requests pass uncounted');
      }
      return null;
    }
  };
}

function decisionOf(taken: RequestTaken, limit: number): RateLimitDecision {
  const { allowed, used, nowMs, firstMs, lastMs } = taken;
  const remaining = Math.max(0, limit - used);
  const resetAtMs = (remaining > 0 ? lastMs : firstMs) + WINDOW_MS;
  const retryAfterSeconds = Math.max(1, Math.ceil((resetAtMs - nowMs) / 1_000));
  return { allowed, limit, used, remaining, resetAtMs, retryAfterSeconds };
}
