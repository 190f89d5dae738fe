import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';
import type { Size } from '#src/platform/config.ts';
import { openPglite } from '#src/platform/pglite.ts';
import { openQueueBackend, type QueueBackend } from '#src/platform/queue-backend.ts';
import { openRedisDatabase } from './redis-database.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** The queue store of one test file. */
export interface QueueStore {
  backend: QueueBackend;
  /** The proxy between the runtime and its store; null without a connection. */
  proxy: TcpProxy | null;
  /** Deletes every job and schedule. */
  empty(): Promise<void>;
  remove(): Promise<void>;
}

const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = process.env;
/** Always the embedded size; the others when the environment names their servers. */
export const testedSizes: readonly Size[] = [
  'embedded',
  ...(databaseUrl === undefined ? [] : ['one-database' as const]),
  ...(redisUrl === undefined ? [] : ['scale-out' as const]),
];

export async function openQueueStore(size: Size): Promise<QueueStore> {
  const log = pino({ level: 'silent' });
  const shared = { size, pglite: null, databaseUrl: undefined, redisUrl: undefined, log };
  switch (size) {
    case 'embedded': {
      const pglite = await openPglite(null);
      const backend = await openQueueBackend({ ...shared, pglite });
      return {
        backend,
        proxy: null,
        async empty() {
          await pglite.exec('truncate bullmq.job, bullmq.scheduler, bullmq.dedup cascade');
        },
        async remove() {
          await backend.close();
          await pglite.close();
        },
      };
    }
    case 'one-database':
      return openPostgresStore(async (url) => openQueueBackend({ ...shared, databaseUrl: url }));
    case 'scale-out':
      return openRedisStore(async (url) => openQueueBackend({ ...shared, redisUrl: url }));
  }
}

async function openPostgresStore(
  open: (url: string) => Promise<QueueBackend>,
): Promise<QueueStore> {
  const name = `queue_runtime_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(databaseUrl ?? '');
  const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.host = `127.0.0.1:${proxy.port}`;
  url.pathname = `/${name}`;
  const backend = await open(url.href);
  return {
    backend,
    proxy,
    async empty() {
      const own = new pg.Client({ connectionString: url.href });
      await own.connect();
      await own.query('truncate bullmq.job, bullmq.scheduler, bullmq.dedup cascade');
      await own.end();
    },
    async remove() {
      await backend.close();
      await proxy.down();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

/** A separate database, emptied before and after. */
async function openRedisStore(open: (url: string) => Promise<QueueBackend>): Promise<QueueStore> {
  await using opened = new AsyncDisposableStack();
  const url = new URL(await openRedisDatabase(redisUrl ?? '', opened));
  const admin = new Redis(url.href);
  opened.defer(() => admin.disconnect());
  const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.host = `127.0.0.1:${proxy.port}`;
  const backend = await open(url.href);
  const resources = opened.move();
  return {
    backend,
    proxy,
    async empty() {
      await admin.flushdb();
    },
    async remove() {
      await backend.close();
      await proxy.down();
      await admin.flushdb();
      await resources.disposeAsync();
    },
  };
}
