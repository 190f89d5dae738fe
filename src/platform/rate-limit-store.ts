import type { openPool } from './postgres.ts';
import type { RedisClient } from './redis.ts';

/** Where a deployment's API processes count requests together; follows from the size. */
export type RateLimitStore =
  | { readonly kind: 'memory' }
  | { readonly kind: 'postgres'; readonly pool: ReturnType<typeof openPool> }
  | { readonly kind: 'redis'; readonly client: RedisClient };
