// @module-tag processes
// @module-tag database
// @module-tag queues
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { openServices } from '#src/open-services.ts';
import { parseConfig } from '#src/platform/config.ts';
import { sendDeliveries } from '#src/webhooks/emit-event.ts';
import { openTcpProxy } from '#test/support/tcp-proxy.ts';
import { openTestProcesses, type TestProcesses } from '#test/support/test-processes.ts';
import { until } from '#test/support/until.ts';
import {
  deliveriesSettled,
  expectTrueLedger,
  killWhileDelivering,
  statusesOf,
  writeEvents,
} from '#test/support/webhook-endpoints.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { insertEndpoint } from '#test/support/webhook-rows.ts';

const EVENTS = 200;
const EVENTS_AT_ONCE = 20;
const PATHS = ['/good', '/failing-first', '/slow'];
const FIRST_FAILURES = 8;
const SLOW_MS = 250;
/** A dead worker's lease must expire before `reconcile` picks it up. */
const RECOVERY_MS = 150_000;
const OUTAGE_MS = 3_000;

const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = process.env;

/** A good receiver, one that fails at first and one that is slow, each with hundreds of events in progress. */
interface Scene extends AsyncDisposable {
  readonly processes: TestProcesses;
  readonly receiver: WebhookReceiver;
  /** Waits until the receivers have seen that many requests. */
  seen(count: number): Promise<void>;
  /** Checks that nothing is lost and the ledger is correct. @returns the number of duplicate posts */
  ended(): Promise<number>;
}

async function openScene(
  settings: (own: Record<string, string>) => Record<string, string> = () => ({}),
): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const receiver = opened.use(
    await startReceiver({
      behave: (path, count) => ({
        kind: 'answer',
        status: path === '/failing-first' && count <= FIRST_FAILURES ? 500 : 204,
        delayMs: path === '/slow' ? SLOW_MS : 0,
      }),
    }),
  );
  const allowed = { OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' };
  const processes = opened.use(
    await openTestProcesses((own) => ({ ...allowed, ...settings(own) })),
  );
  await emitEverything(processes, receiver.url);
  const resources = opened.move();
  return {
    processes,
    receiver,
    seen: (count) =>
      until(() => Promise.resolve(receiver.requests.length >= count), RECOVERY_MS, 5),
    async ended() {
      await deliveriesSettled(processes.db, RECOVERY_MS);
      expect(await statusesOf(processes.db)).toEqual({ delivered: PATHS.length * EVENTS });
      return expectTrueLedger(processes.db, receiver);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Emits events as the API does. */
async function emitEverything({ environment }: TestProcesses, url: string): Promise<void> {
  await using services = await openServices(parseConfig(environment.settings));
  const { workspaceId } = await ensureBootstrap(services.db, { bootstrapKey: null });
  for (const path of PATHS) await insertEndpoint(services, workspaceId, url + path);
  for (let made = 0; made < EVENTS; made += EVENTS_AT_ONCE) {
    await sendDeliveries(services, await writeEvents(services, workspaceId, EVENTS_AT_ONCE));
  }
}

describe.skipIf(databaseUrl === undefined)(
  'webhooks whose workers are killed (needs TEST_DATABASE_URL)',
  () => {
    it('all arrive, and the ledger is correct', async () => {
      await using scene = await openScene();
      const { processes } = scene;
      const first = await processes.startWorkers();
      await scene.seen(100);
      expect(await killWhileDelivering([first], processes.db)).toBeGreaterThan(0);
      const seen = scene.receiver.requests.length;
      const pair = [await processes.startWorkers(), await processes.startWorkers()];
      await scene.seen(seen + 100);
      expect(await killWhileDelivering(pair, processes.db)).toBeGreaterThan(0);
      await processes.startWorkers();
      // Only deliveries in progress at the two kills may arrive twice.
      expect(await scene.ended()).toBeLessThanOrEqual(2 * PATHS.length * 16);
    });

    it('all arrive once when workers are stopped as in a deployment', async () => {
      await using scene = await openScene();
      const { processes } = scene;
      let running = await processes.startWorkers();
      for (const share of [50, 200, 350]) {
        await scene.seen(share);
        const next = await processes.startWorkers();
        running.signal('SIGTERM');
        expect(await running.ended(60_000)).toBe(0);
        running = next;
      }
      expect(await scene.ended()).toBe(0);
      expect(scene.receiver.requests).toHaveLength(PATHS.length * EVENTS + FIRST_FAILURES);
    });
  },
);

/** Repeatedly ends every connection to the test database while the workers' proxy is down. */
async function cutConnections(ownUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  try {
    for (const end = Date.now() + OUTAGE_MS; Date.now() < end; await wait(100)) {
      await admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
        [new URL(ownUrl).pathname.slice(1)],
      );
    }
  } finally {
    await admin.end();
  }
}

describe.skipIf(databaseUrl === undefined)(
  'webhooks during an outage of Postgres (needs TEST_DATABASE_URL)',
  () => {
    it('all arrive, and the ledger is correct', async () => {
      await using opened = new AsyncDisposableStack();
      const { hostname, port } = new URL(databaseUrl ?? '');
      const proxy = await openTcpProxy({ host: hostname, port: Number(port) });
      opened.defer(() => proxy.down());
      const scene = opened.use(
        await openScene((own) => {
          const url = new URL(own['DATABASE_URL'] ?? '');
          url.host = `127.0.0.1:${proxy.port}`;
          return { DATABASE_URL: url.href };
        }),
      );
      const { processes } = scene;
      const workers = await processes.startWorkers();
      await scene.seen(100);
      await proxy.down();
      await cutConnections(processes.environment.settings['DATABASE_URL'] ?? '');
      await proxy.up();
      await scene.ended();
      // The worker waited for the database instead of exiting.
      expect(workers.ending()).toBeNull();
    });
  },
);

describe.skipIf(databaseUrl === undefined || redisUrl === undefined)(
  'webhooks whose queue is lost (needs TEST_REDIS_URL)',
  () => {
    it('all arrive when Redis forgets everything, twice', async () => {
      await using scene = await openScene();
      const { processes } = scene;
      const redis = new Redis(processes.environment.settings['REDIS_URL'] ?? '');
      try {
        await redis.flushdb();
        const worker = await processes.startWorkers();
        await scene.seen(150);
        await redis.flushdb();
        await scene.ended();
        expect(worker.ending()).toBeNull();
      } finally {
        redis.disconnect();
      }
    });
  },
);
