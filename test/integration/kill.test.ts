import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { makeDocuments, type Push, pushDocuments } from '#test/support/push-documents.ts';
import {
  killWhileIndexing,
  openTestProcesses,
  type TestProcesses,
} from '#test/support/test-processes.ts';
import { expectSearchable, expectWholeIndex } from '#test/support/whole-index.ts';

const DOCUMENTS = makeDocuments(1_000);
/** So many documents are acknowledged when the fault strikes. */
const MIDDLE = 400;
/** A dead worker's claim has to run out, and `reconcile` to come by. */
const RECOVERY_MS = 100_000;
const TEST_TIMEOUT_MS = 150_000;

const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = process.env;

/** Pushes all documents and lets `strike` loose in the middle. */
async function pushThrough(
  processes: TestProcesses,
  strike: () => Promise<unknown>,
): Promise<Push> {
  const middle = Promise.withResolvers<void>();
  const pushing = pushDocuments(processes.service, DOCUMENTS, (count) => {
    if (count === MIDDLE) middle.resolve();
  });
  const [push] = await Promise.all([pushing, middle.promise.then(strike)]);
  return push;
}

async function expectNothingLost(processes: TestProcesses, push: Push): Promise<void> {
  const T0 = Date.now();
  await processes.settled(RECOVERY_MS);
  console.error('RECOVERED', Date.now() - T0);
  await expectWholeIndex(processes.db, push);
  await expectSearchable(processes.client, push);
}

describe.skipIf(databaseUrl === undefined)('a kill in the middle (needs TEST_DATABASE_URL)', () => {
  it('loses nothing when a worker is killed', { timeout: TEST_TIMEOUT_MS }, async () => {
    await using processes = await openTestProcesses();
    await processes.startApi();
    const victim = await processes.startWorkers();
    const push = await pushThrough(processes, async () => {
      const held = await killWhileIndexing(victim, processes.db);
      expect(held).toBeGreaterThan(0);
      await processes.startWorkers();
    });
    expect(push.acknowledged.size).toBe(DOCUMENTS.length);
    await expectNothingLost(processes, push);
  });

  it('loses nothing that was acknowledged when the API is killed', { timeout: TEST_TIMEOUT_MS }, async () => {
    await using processes = await openTestProcesses();
    const victim = await processes.startApi();
    await processes.startWorkers();
    const push = await pushThrough(processes, async () => {
      await victim.kill();
      await processes.startApi();
    });
    expect(push.acknowledged.size).toBeGreaterThan(MIDDLE);
    expect(push.acknowledged.size).toBeLessThan(DOCUMENTS.length);
    await expectNothingLost(processes, push);
  });
});

describe.skipIf(databaseUrl === undefined || redisUrl === undefined)(
  'a flushed Redis (needs TEST_REDIS_URL)',
  () => {
    it('loses nothing when Redis forgets everything', { timeout: TEST_TIMEOUT_MS }, async () => {
      await using processes = await openTestProcesses();
      await processes.startApi();
      await processes.startWorkers();
      const redis = new Redis(processes.environment.settings['REDIS_URL'] ?? '');
      try {
        const push = await pushThrough(processes, () => redis.flushdb());
        expect(push.acknowledged.size).toBe(DOCUMENTS.length);
        await expectNothingLost(processes, push);
      } finally {
        redis.disconnect();
      }
    });
  },
);
