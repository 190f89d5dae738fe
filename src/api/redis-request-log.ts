import { z } from 'zod';
import type { RedisClient } from '#src/platform/redis.ts';
import type { RequestTaken } from './request-log.ts';

/**
 * A sorted set per account: one member per request, scored with the time in microseconds of Redis's own clock, so that
 * processes with different clocks agree. A script runs atomically.
 */
const TAKE = `
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local limit = tonumber(ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - 60000000))
  local used = redis.call('ZCARD', KEYS[1])
  local allowed = 0
  if used < limit then
    allowed = 1
    redis.call('ZADD', KEYS[1], string.format('%.0f', now), string.format('%.0f-%d', now, used))
    redis.call('PEXPIRE', KEYS[1], 60000)
    used = used + 1
  end
  local place = -math.min(used, limit)
  local first = redis.call('ZRANGE', KEYS[1], place, place, 'WITHSCORES')
  local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
  return { allowed, used, string.format('%.0f', now), first[2], last[2] }`;

const microseconds = z.coerce.number().transform((us) => us / 1_000);
const replySchema = z.tuple([z.int(), z.int(), microseconds, microseconds, microseconds]);

/** @throws at once when Redis is unavailable */
export async function takeFromRedis(
  client: RedisClient,
  account: string,
  limit: number,
): Promise<RequestTaken> {
  if (client.status !== 'ready') throw new Error(`the connection to Redis is ${client.status}`);
  const reply = await client.eval(TAKE, 1, `millrace-requests:${account}`, limit);
  const [allowed, used, nowMs, firstMs, lastMs] = replySchema.parse(reply);
  return { allowed: allowed === 1, used, nowMs, firstMs, lastMs };
}
