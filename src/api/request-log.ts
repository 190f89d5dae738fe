import type { RateLimitStore } from '#src/platform/rate-limit-store.ts';
import { MemoryRequestLog } from './memory-request-log.ts';
import { takeFromRedis } from './redis-request-log.ts';

export const WINDOW_MS = 60_000;

/** What the log says after a request was taken or refused. Times are Unix milliseconds of the store's own clock. */
export interface RequestTaken {
  allowed: boolean;
  /** Requests let through within the last minute, with the present one when it is among them. */
  used: number;
  nowMs: number;
  /** Of the newest requests, as many as the limit allows, the oldest: when it is a minute old, the next one passes. */
  firstMs: number;
  lastMs: number;
}

/**
 * The moments of the requests of each account's last minute: an exact log, not a count by fixed minutes. Refused
 * requests are not in it.
 */
export interface RequestLog {
  /** Enters a request unless `limit` of the account were let through within the last minute. */
  take(account: string, limit: number): Promise<RequestTaken>;
}

/** Opens the log that all API processes of this deployment share. @param clock of the store that has none of its own */
export function openRequestLog(store: RateLimitStore, clock: () => Date): RequestLog {
  switch (store.kind) {
    case 'memory':
      return new MemoryRequestLog(clock);
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
          ) as [number, number, number]; // as many as went in
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
