import type { openPool } from './postgres.ts';
import type { RedisClient } from './redis.ts';

/** The times of each account's requests in the last minute, ascending, in Unix milliseconds. */
export type RequestMoments = Map<string, number[]>;

/** Where a deployment's API processes count requests together; follows from the size. */
export type RateLimitStore =
  | { readonly kind: 'memory'; readonly moments: RequestMoments }
  | { readonly kind: 'postgres'; readonly pool: ReturnType<typeof openPool> }
  | { readonly kind: 'redis'; readonly client: RedisClient };
