// @module-tag processes
// @module-tag database
// @module-tag queues
import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { MARKER } from '#test/support/leftover-processes.ts';
import { makeDocuments, type Push, pushDocuments } from '#test/support/push-documents.ts';
import {
  killWhileIndexing,
  openTestProcesses,
  type TestProcesses,
} from '#test/support/test-processes.ts';
import { openTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';
import { expectSearchable, expectWholeIndex } from '#test/support/whole-index.ts';

const DOCUMENTS = makeDocuments(1_000);
/** Documents acknowledged when the fault strikes. */
const MIDDLE = 400;
/** A dead worker's claim must expire before `reconcile` picks it up. */
const RECOVERY_MS = 150_000;

/** Length of a simulated outage, when Postgres is not really restarted. */
const OUTAGE_MS = 3_000;

const {
  TEST_DATABASE_URL: databaseUrl,
  TEST_REDIS_URL: redisUrl,
  TEST_FAULT_POSTGRES_RESTART: restartCommand,
} = process.env;

/** The restarted server outlives the test run, so it must not carry the run's marker. */
async function restartPostgres(command: string): Promise<void> {
  const { [MARKER]: _marker, ...env } = process.env;
  await promisify(execFile)('bash', ['-c', command], { env });
}

/** Pushes all documents and calls `strike` in the middle. */
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
  await processes.settled(RECOVERY_MS);
  await expectWholeIndex(processes.db, push);
  await expectSearchable(processes.client, push);
}

describe.skipIf(databaseUrl === undefined)('a kill in the middle (needs TEST_DATABASE_URL)', () => {
  it('loses nothing when a worker is killed', async () => {
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

  it('loses nothing that was acknowledged when the API is killed', async () => {
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

/** Cuts the proxy and repeatedly ends every connection to the test database. */
async function takePostgresAway(proxy: TcpProxy, ownUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  const until = Date.now() + OUTAGE_MS;
  try {
    await proxy.down();
    while (Date.now() < until) {
      await admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
        [new URL(ownUrl).pathname.slice(1)],
      );
      await wait(100);
    }
  } finally {
    await admin.end();
    await proxy.up();
  }
}

describe.skipIf(databaseUrl === undefined)(
  'an outage of Postgres (needs TEST_DATABASE_URL)',
  () => {
    const fault = restartCommand === undefined ? 'its connections are cut' : 'it is restarted';
    it(`loses nothing when ${fault} in the middle`, async () => {
      await using opened = new AsyncDisposableStack();
      const { hostname, port } = new URL(databaseUrl ?? '');
      const proxy = await openTcpProxy({ host: hostname, port: Number(port) });
      opened.defer(() => proxy.down());
      const processes = opened.use(
        await openTestProcesses((settings) => {
          const url = new URL(settings['DATABASE_URL'] ?? '');
          url.host = `127.0.0.1:${proxy.port}`;
          return { DATABASE_URL: url.href };
        }),
      );
      const ownUrl = processes.environment.settings['DATABASE_URL'] ?? '';
      const api = await processes.startApi();
      const workers = await processes.startWorkers();
      const push = await pushThrough(processes, async () => {
        if (restartCommand === undefined) await takePostgresAway(proxy, ownUrl);
        else await restartPostgres(restartCommand);
      });
      expect(push.acknowledged.size).toBe(DOCUMENTS.length);
      await expectNothingLost(processes, push);
      // The processes waited for the database instead of exiting.
      expect([api.ending(), workers.ending()]).toEqual([null, null]);
    });
  },
);

describe.skipIf(databaseUrl === undefined || redisUrl === undefined)(
  'a flushed Redis (needs TEST_REDIS_URL)',
  () => {
    it('loses nothing when Redis forgets everything', async () => {
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
