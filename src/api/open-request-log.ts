import type { RateLimitStore } from '#src/platform/rate-limit-store.ts';
import { MemoryRequestLog } from './memory-request-log.ts';
import { takeFromRedis } from './redis-request-log.ts';
import type { RequestLog } from './request-log.ts';

/** Opens the log that all API processes of this deployment share. @param clock for the store without its own clock */
export function openRequestLog(store: RateLimitStore, clock: () => Date): RequestLog {
  switch (store.kind) {
    case 'memory':
      return new MemoryRequestLog(clock, store.moments);
    case 'redis':
      return { take: (account, limit) => takeFromRedis(store.client, account, limit) };
    case 'postgres':
      return {
        async take(account, limit) {
          const { rows } = await store.pool.query<PostgresRow>(
            'select allowed, used, now_us, first_us, last_us from take_request($1, $2)',
            [account, limit],
          );
          const [row] = rows;
          if (!row) throw new Error('take_request returned no row.');
          const [nowMs, firstMs, lastMs] = [row.now_us, row.first_us, row.last_us].map(
            (us) => us / 1_000,
          ) as [number, number, number]; // one result per argument
          return { allowed: row.allowed, used: row.used, nowMs, firstMs, lastMs };
        },
      };
  }
}

interface PostgresRow {
  allowed: boolean;
  used: number;
  now_us: number;
  first_us: number;
  last_us: number;
}
