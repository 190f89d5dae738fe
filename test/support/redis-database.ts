import { Redis } from 'ioredis';
import { until } from './until.ts';

/** A server has sixteen by default; the first one records who uses which of the others. */
const DATABASES = 15;
/** After this time the lease of a killed process has expired. */
const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 10_000;

const leaseOf = (number: number): string => `millrace-test-database-${number}`;

/**
 * One of the server's databases, emptied. Test files run in parallel, possibly in several runs: the database is
 * reserved until `opened` is disposed of.
 */
export async function openRedisDatabase(
  serverUrl: string,
  opened: AsyncDisposableStack,
): Promise<string> {
  const leases = new Redis(serverUrl);
  opened.defer(() => leases.disconnect());
  const number = await takeDatabase(leases);
  const renewing = setInterval(() => {
    // After a failed renewal the lease is still valid for most of a minute.
    leases.pexpire(leaseOf(number), LEASE_MS).catch(() => undefined);
  }, RENEW_EVERY_MS);
  opened.defer(async () => {
    clearInterval(renewing);
    await leases.del(leaseOf(number));
  });
  const url = new URL(serverUrl);
  url.pathname = `/${number}`;
  const redis = new Redis(url.href);
  await redis.flushdb();
  redis.disconnect();
  return url.href;
}

async function takeDatabase(leases: Redis): Promise<number> {
  let taken = 0;
  await until(async () => {
    for (let number = 1; taken === 0 && number <= DATABASES; number += 1) {
      const answer = await leases.set(leaseOf(number), process.pid, 'PX', LEASE_MS, 'NX');
      if (answer === 'OK') taken = number;
    }
    return taken > 0;
  });
  return taken;
}
