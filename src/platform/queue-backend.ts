import {
  type BackendFactory,
  type ConnectionOptions,
  createRedisBackend,
  type PostgresConnectionOptions,
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
} from 'bullmq';
import type { Logger } from 'pino';
import type { Size } from './config.ts';
import { StartError } from './errors.ts';
import { messageOf } from './message-of.ts';
import type { EmbeddedDatabase } from './embedded-database.ts';
import { createPglitePool, migrateInPglite } from './pglite-pool.ts';
import { SteadyClient } from './postgres.ts';
import { assertUsableRedis, openRedis, type RedisClient } from './redis.ts';
import { noWaiting, type WaitPolicy, waitForServer } from './wait-for-server.ts';
import { openWorkerConnection } from './worker-connection.ts';

/** The last two arguments of BullMQ's `new Queue` and `new Worker`, apart from what the caller adds to `options`. */
export interface QueueAccess {
  readonly options: { connection: ConnectionOptions; prefix: string };
  readonly factory: BackendFactory;
}

/** Where the queues are stored. Code outside this file never asks which of the three stores it is. */
export interface QueueBackend {
  /** Fails within seconds while the store is unavailable. */
  readonly forProducers: QueueAccess;
  /** Waits for the store to come back. */
  readonly forWorkers: QueueAccess;
  /** The producers' Redis connection, which others may share; null when the queues are in Postgres. */
  readonly redis: RedisClient | null;
  /** For every `error` event of a BullMQ object: logs at most one line per 10 s. */
  readonly reportError: (error: Error) => void;
  /** @throws Error when the store does not answer within 5 s */
  ping(): Promise<void>;
  /** Close producers and workers first. */
  close(): Promise<void>;
}

export interface QueueBackendSettings {
  size: Size;
  /** Required when `size` is `embedded`. */
  pglite: EmbeddedDatabase | null;
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  log: Logger;
  /** For a Redis that is unavailable; no waiting by default. */
  patience?: WaitPolicy;
}

/** The braces make every key of every queue hash to one slot, which BullMQ's scripts require on a Redis Cluster. */
export const KEY_PREFIX = '{millrace}';
const PING_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
const PRODUCER_QUERY_TIMEOUT_MS = 15_000;
const WORKER_QUERY_TIMEOUT_MS = 60_000;
const PRODUCER_POOL_SIZE = 4;
/** One of these connections listens. */
const WORKER_POOL_SIZE = 4;
const ERROR_LOG_INTERVAL_MS = 10_000;

/**
 * Connects to the queue store and migrates BullMQ's own tables.
 * @throws StartError with a remedy when the store is missing or unusable
 */
export async function openQueueBackend(settings: QueueBackendSettings): Promise<QueueBackend> {
  const reportError = createErrorReporter(settings.log);
  switch (settings.size) {
    case 'embedded':
      return openInPglite(required(settings.pglite, 'an open PGlite'), reportError);
    case 'one-database':
      return openInPostgres(required(settings.databaseUrl, 'DATABASE_URL'), reportError);
    case 'scale-out':
      return openInRedis(
        required(settings.redisUrl, 'REDIS_URL'),
        settings.patience ?? noWaiting(settings.log),
        reportError,
      );
  }
}

function required<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined)
    throw new StartError(`The queues of this size need ${what}.`);
  return value;
}

type ErrorReporter = QueueBackend['reportError'];

async function openInPglite(
  pglite: EmbeddedDatabase,
  reportError: ErrorReporter,
): Promise<QueueBackend> {
  await migrateInPglite(pglite, async (client) => runMigrations(client));
  // BullMQ's statements name its tables without a schema. Ours come first; no table name is in both.
  await pglite.exec('set search_path = public, bullmq');
  const pool = createPglitePool(pglite);
  return openSqlBackend(pool, () => new PostgresConnection(pool), reportError);
}

async function openInPostgres(
  databaseUrl: string,
  reportError: ErrorReporter,
): Promise<QueueBackend> {
  const shared = {
    connectionString: databaseUrl,
    application_name: 'millrace queues',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    Client: SteadyClient,
  };
  const worker = { ...shared, max: WORKER_POOL_SIZE, query_timeout: WORKER_QUERY_TIMEOUT_MS };
  return openSqlBackend(
    { ...shared, max: PRODUCER_POOL_SIZE, query_timeout: PRODUCER_QUERY_TIMEOUT_MS, migrate: true },
    () => openWorkerConnection(worker, reportError),
    reportError,
  );
}

/** Producers share one connection pool; each worker has its own, with a connection that listens. */
async function openSqlBackend(
  producerConnection: PostgresConnectionOptions,
  openForWorker: () => PostgresConnection,
  reportError: ErrorReporter,
): Promise<QueueBackend> {
  const connection = new PostgresConnection(producerConnection);
  connection.on('error', reportError);
  try {
    await connection.waitUntilReady();
  } catch (cause) {
    await connection.close();
    throw new StartError(
      `The queue tables in Postgres cannot be opened (${messageOf(cause)}). Check DATABASE_URL, and that its user may create the schema "bullmq".`,
      { cause },
    );
  }
  const options = { connection: {}, prefix: KEY_PREFIX };
  return {
    forProducers: {
      options,
      factory: (name, queueOptions) =>
        new PostgresQueueBackend(
          connection,
          name,
          { ...queueOptions, connection: producerConnection },
          false,
        ),
    },
    forWorkers: {
      options,
      factory: (name, queueOptions) => {
        const own = openForWorker();
        return new PostgresQueueBackend(own, name, { ...queueOptions, connection: own.pool });
      },
    },
    redis: null,
    reportError,
    ping: async () => within(PING_TIMEOUT_MS, connection.pool.query('select 1')),
    close: async () => connection.close(),
  };
}

async function openInRedis(
  redisUrl: string,
  patience: WaitPolicy,
  reportError: ErrorReporter,
): Promise<QueueBackend> {
  const producer = await waitForServer(
    () => openRedis(redisUrl, 'producer', reportError),
    patience,
  );
  let worker: RedisClient | null = null;
  try {
    await assertUsableRedis(producer, patience.log);
    worker = await openRedis(redisUrl, 'worker', reportError);
  } catch (error) {
    producer.disconnect();
    throw error;
  }
  const workerClient = worker;
  const access = (connection: RedisClient): QueueAccess => ({
    options: { connection, prefix: KEY_PREFIX },
    factory: createRedisBackend,
  });
  return {
    forProducers: access(producer),
    forWorkers: access(workerClient),
    redis: producer,
    reportError,
    ping: async () => within(PING_TIMEOUT_MS, producer.ping()),
    close: async () => {
      producer.disconnect();
      workerClient.disconnect();
    },
  };
}

async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new Error(`The queue store did not answer within ${timeoutMs} ms.`)),
    timeoutMs,
  );
  try {
    await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function createErrorReporter(log: Logger): ErrorReporter {
  let quietUntil = 0;
  let suppressed = 0;
  return (error) => {
    if (Date.now() < quietUntil) {
      suppressed += 1;
      return;
    }
    log.error({ error: messageOf(error), suppressed }, 'queue store error');
    quietUntil = Date.now() + ERROR_LOG_INTERVAL_MS;
    suppressed = 0;
  };
}
