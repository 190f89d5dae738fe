import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { type Database, openDatabase } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import { KEY_PREFIX } from '#src/platform/queue-backend.ts';
import { QUEUES } from '#queues/index.ts';
import { chooseFixedPort } from '#test/support/child-process.ts';
import { openPostgresServer, type PostgresServer } from '#test/support/postgres-servers.ts';
import { openTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { migrateTestDatabase } from '#test/support/test-millrace.ts';
import { ChaosProcess } from './chaos-processes.ts';
import type { Fault } from './chaos-script.ts';
import { openRedisServer, type RedisServer } from './redis-server.ts';

const ADMIN_KEY = 'chaos-bootstrap-admin-key-0123456789';
/** Each queue has to refuse or ignore these, and go on. */
const STALE_PAYLOADS = [{}, { documentIds: [1, 2, 999_999_999] }, { of: 'a version that is gone' }];

/** A Millrace of several processes, or of one, with what breaks it. */
export interface ChaosStage extends AsyncDisposable {
  readonly key: string;
  /** Addresses of the API. */
  readonly urls: readonly string[];
  /** Does the fault and undoes it. */
  strike(fault: Fault): Promise<void>;
  /** Processes that ended although nobody ended them. */
  deaths(): string[];
  /** Reads the rows, when nothing strikes any more; the embedded size ends for it. */
  readRows<T>(read: (db: Database) => Promise<T>): Promise<T>;
}

const COMMON = {
  BOOTSTRAP_ADMIN_API_KEY: ADMIN_KEY,
  OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  RATE_LIMIT_PER_MINUTE: '1000000',
  SHUTDOWN_TIMEOUT_SECONDS: '5',
};

/** One process with everything in it. */
export async function openEmbeddedStage(): Promise<ChaosStage> {
  await using opened = new AsyncDisposableStack();
  const environment = opened.use(await openTestEnvironment(COMMON));
  const port = await chooseFixedPort();
  const main = new ChaosProcess('main', 'src/main.ts', {
    ...environment.settings,
    PORT: String(port),
  });
  opened.defer(() => main.kill());
  await main.start();
  const resources = opened.move();
  return {
    key: ADMIN_KEY,
    urls: [`http://127.0.0.1:${port}`],
    strike: (fault) => strikeProcess([main], fault),
    deaths: () => deathsOf([main]),
    async readRows(read) {
      await main.end();
      const directory = path.join(environment.settings['DATA_DIR'] ?? '', 'pglite');
      return readDatabase({ databaseUrl: null, directory }, read);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Two APIs and two processes of workers, with a Postgres and a Redis of their own, each behind a proxy. */
export async function openScaleOutStage(): Promise<ChaosStage> {
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'chaos-'));
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  const postgres = await openPostgresServer(opened);
  const redis = await openRedisServer(opened);
  await postgres.query('create database chaos');
  const proxies = {
    postgres: await openTcpProxy({ host: '127.0.0.1', port: postgres.port }),
    redis: await openTcpProxy({ host: '127.0.0.1', port: redis.port }),
  };
  opened.defer(() => proxies.postgres.down());
  opened.defer(() => proxies.redis.down());
  const proxied = new URL(postgres.urlOf('chaos'));
  proxied.port = String(proxies.postgres.port);
  const settings = {
    ...COMMON,
    DATA_DIR: directory,
    DATABASE_URL: proxied.href,
    REDIS_URL: `redis://127.0.0.1:${proxies.redis.port}`,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  await migrateTestDatabase(settings);
  const ports = [await chooseFixedPort(), await chooseFixedPort()];
  const processes = [
    ...ports.map(
      (port, n) =>
        new ChaosProcess(n === 0 ? 'api-1' : 'api-2', 'src/api.ts', {
          ...settings,
          PORT: String(port),
        }),
    ),
    new ChaosProcess('workers-1', 'workers/main.ts', settings),
    new ChaosProcess('workers-2', 'workers/main.ts', settings),
  ];
  for (const one of processes) {
    opened.defer(() => one.kill());
    await one.start();
  }
  const resources = opened.move();
  return {
    key: ADMIN_KEY,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    strike: (fault) => strikeAny({ processes, postgres, redis, proxies }, fault),
    deaths: () => deathsOf(processes),
    readRows: (read) =>
      readDatabase({ databaseUrl: postgres.urlOf('chaos'), directory: null }, read),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

interface Machines {
  processes: readonly ChaosProcess[];
  postgres: PostgresServer;
  redis: RedisServer;
  proxies: { postgres: TcpProxy; redis: TcpProxy };
}

async function strikeAny(machines: Machines, fault: Fault): Promise<void> {
  const { postgres, redis, proxies } = machines;
  switch (fault.kind) {
    case 'crash-postgres':
      await postgres.crash();
      await wait(fault.ms);
      return postgres.start();
    case 'crash-redis':
      await redis.kill();
      await wait(fault.ms);
      return redis.start();
    case 'stop-redis':
      redis.signal('SIGSTOP');
      await wait(fault.ms);
      return redis.signal('SIGCONT');
    case 'cut-postgres':
    case 'cut-redis': {
      const proxy = fault.kind === 'cut-redis' ? proxies.redis : proxies.postgres;
      await proxy.down();
      await wait(fault.ms);
      return proxy.up();
    }
    case 'flush-redis':
      await redis.client.flushall();
      return;
    case 'stale-jobs':
      return addStaleJobs(redis);
    case 'kill':
    case 'stop':
    case 'restart':
      return strikeProcess(machines.processes, fault);
  }
}

async function strikeProcess(processes: readonly ChaosProcess[], fault: Fault): Promise<void> {
  if (!('target' in fault)) throw new Error(`${fault.kind} is no fault of a process.`);
  const target = processes.find(({ name }) => name === fault.target);
  if (target === undefined) throw new Error(`There is no process ${fault.target}.`);
  if (fault.kind === 'stop') {
    target.stop();
    await wait(fault.ms);
    target.resume();
  } else if (fault.kind === 'kill') {
    await target.kill();
    await wait(fault.ms);
    await target.start(fault.clockMs);
  } else {
    await target.end();
    await target.start(fault.clockMs);
  }
}

async function addStaleJobs(redis: RedisServer): Promise<void> {
  for (const { name } of QUEUES) {
    const queue = new Queue(name, {
      connection: { host: '127.0.0.1', port: redis.port },
      prefix: KEY_PREFIX,
    });
    queue.on('error', () => undefined);
    for (const payload of STALE_PAYLOADS) await queue.add(name, payload);
    await queue.close();
  }
}

function deathsOf(processes: readonly ChaosProcess[]): string[] {
  return processes.map((one) => one.death()).filter((death) => death !== null);
}

async function readDatabase<T>(
  place: { databaseUrl: string | null; directory: string | null },
  read: (db: Database) => Promise<T>,
): Promise<T> {
  const database = await openDatabase({ ...place, poolSize: 3 }, createLog('silent'));
  try {
    return await read(database.db);
  } finally {
    await database.close();
  }
}
