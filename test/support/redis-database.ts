import { Redis } from 'ioredis';
import { until } from './until.ts';

/** A server has sixteen, unless told otherwise; the first one says who has which of the others. */
const DATABASES = 15;
/** Then the lease of a process that was killed is over. */
const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 10_000;

const leaseOf = (number: number): string => `millrace-test-database-${number}`;

/**
 * One of the server's databases, emptied. Test files run side by side, perhaps in several runs: nobody else is given it
 * until `opened` is disposed of.
 */
export async function openRedisDatabase(
  serverUrl: string,
  opened: AsyncDisposableStack,
): Promise<string> {
  const leases = new Redis(serverUrl);
  opened.defer(() => leases.disconnect());
  const number = await takeDatabase(leases);
  const renewing = setInterval(() => {
    // One that is not renewed is still this test's for most of a minute.
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
