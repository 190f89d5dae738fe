import type { openPool } from './postgres.ts';
import type { RedisClient } from './redis.ts';

/** Where the API processes of a deployment count requests together; it follows from the size. */
export type RateLimitStore =
  | { readonly kind: 'memory' }
  | { readonly kind: 'postgres'; readonly pool: ReturnType<typeof openPool> }
  | { readonly kind: 'redis'; readonly client: RedisClient };
