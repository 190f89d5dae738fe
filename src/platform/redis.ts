import { Cluster, Redis, type RedisOptions as AllRedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { ServerUnavailable, StartError } from './errors.ts';
import { messageOf } from './message-of.ts';

export type RedisClient = Redis | Cluster;

/** Omits an option that ioredis's own types reject when it is explicitly undefined. */
type RedisOptions = Omit<AllRedisOptions, 'replyMapping'>;

/** `REDIS_URL`, parsed. Credentials, database and TLS come from the first address. */
export type RedisTarget =
  | { kind: 'single'; url: string }
  | { kind: 'cluster'; nodes: { host: string; port: number }[]; options: RedisOptions }
  | { kind: 'sentinel'; options: RedisOptions };

/**
 * `producer`: fails within seconds while Redis is unavailable, so that a request can be answered. `worker`: waits for
 * Redis to come back, however long that takes.
 */
export type RedisRole = 'producer' | 'worker';

const REDIS_MINIMUM_MAJOR = 7;
const COMMAND_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_RECONNECT_DELAY_MS = 2_000;
const DEFAULT_PORTS = { redis: 6379, sentinel: 26_379 };

/**
 * Parses `REDIS_URL`: one URL, a comma-separated list (Redis Cluster), or
 * `redis+sentinel://host:port,host:port/master-name` (`rediss…` for TLS).
 * @throws StartError naming the setting but not the URL, which may contain a password
 */
export function parseRedisUrl(text: string): RedisTarget {
  const sentinel = /^(rediss?)\+sentinel:\/\/(.*)$/.exec(text.trim());
  if (sentinel) return parseSentinelUrl(sentinel[1] === 'rediss', sentinel[2] ?? '');
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const [first, ...others] = parts;
  if (first === undefined) throw wrongUrl('it is empty');
  if (others.length === 0) return { kind: 'single', url: parseAddress(first).href };
  const scheme = parseAddress(first).protocol;
  const addresses = [
    first,
    ...others.map((part) => (part.includes('://') ? part : `${scheme}//${part}`)),
  ];
  return {
    kind: 'cluster',
    nodes: addresses.map((address) => hostAndPort(parseAddress(address), DEFAULT_PORTS.redis)),
    options: credentials(parseAddress(first)),
  };
}

function parseSentinelUrl(tls: boolean, rest: string): RedisTarget {
  const parsed = /^(?:([^@]*)@)?([^/]+)\/([^/]+)(?:\/(\d+))?$/.exec(rest);
  const [, user = '', hosts = '', name = '', database] = parsed ?? [];
  if (!parsed) throw wrongUrl('write redis+sentinel://host:26379,host:26379/master-name');
  const scheme = tls ? 'rediss' : 'redis';
  return {
    kind: 'sentinel',
    options: {
      ...credentials(parseAddress(`${scheme}://${user === '' ? '' : `${user}@`}master`)),
      ...(tls && { enableTLSForSentinelMode: true }),
      ...(database !== undefined && { db: Number(database) }),
      name,
      sentinels: hosts
        .split(',')
        .map((host) => hostAndPort(parseAddress(`${scheme}://${host}`), DEFAULT_PORTS.sentinel)),
    },
  };
}

function parseAddress(address: string): URL {
  const url = URL.parse(address);
  if (url === null || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '') {
    throw wrongUrl('each address must look like redis://host:6379');
  }
  return url;
}

function hostAndPort(url: URL, defaultPort: number): { host: string; port: number } {
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || defaultPort) };
}

function credentials(url: URL): RedisOptions {
  return {
    ...(url.username !== '' && { username: decodeURIComponent(url.username) }),
    ...(url.password !== '' && { password: decodeURIComponent(url.password) }),
    ...(url.protocol === 'rediss:' && { tls: {} }),
  };
}

function wrongUrl(reason: string): StartError {
  return new StartError(
    `REDIS_URL is not usable: ${reason}. It takes one redis:// URL, several separated by commas (Cluster), or redis+sentinel://host:port,host:port/master-name.`,
  );
}

/**
 * Connects. Later connection errors go to `onError`, and the client reconnects by itself.
 * @throws ServerUnavailable when Redis cannot be reached within 5 s; StartError when its answer shows that the setting is
 * wrong
 */
export async function openRedis(
  redisUrl: string,
  role: RedisRole,
  onError: (error: Error) => void,
): Promise<RedisClient> {
  const target = parseRedisUrl(redisUrl);
  const client = createClient(target, role);
  let lastError: Error | null = null;
  client.on('error', (error: Error) => {
    lastError = error;
    onError(error);
  });
  try {
    await connectWithin(client, CONNECT_TIMEOUT_MS);
  } catch (cause) {
    client.disconnect();
    throw unusable(target, lastError ?? cause);
  }
  return client;
}

/** Answers of a Redis that rejects the login or the database from the setting. */
const WRONG_SETTING =
  /^(WRONGPASS|NOAUTH|NOPERM|ERR (AUTH|invalid password|DB index|Client sent AUTH))/;

function unusable(target: RedisTarget, cause: unknown): StartError {
  const server = `Redis at ${placeOf(target)}`;
  const reason = messageOf(cause);
  return WRONG_SETTING.test(reason)
    ? new StartError(
        `${server} rejects the login or database in REDIS_URL (${reason}). Correct REDIS_URL.`,
        {
          cause,
        },
      )
    : new ServerUnavailable(
        {
          server,
          reason,
          remedy: 'Start it, or correct REDIS_URL; without REDIS_URL the queues live in Postgres.',
        },
        { cause },
      );
}

/** Hosts and ports: nothing secret from `REDIS_URL`. */
function placeOf(target: RedisTarget): string {
  switch (target.kind) {
    case 'single': {
      const { host, port } = hostAndPort(new URL(target.url), DEFAULT_PORTS.redis);
      return `${host}:${port}`;
    }
    case 'cluster':
      return target.nodes.map(({ host, port }) => `${host}:${port}`).join(', ');
    case 'sentinel':
      return `${target.options.name ?? ''} of ${(target.options.sentinels ?? [])
        .map(({ host, port }) => `${host ?? ''}:${port ?? DEFAULT_PORTS.sentinel}`)
        .join(', ')}`;
  }
}

function createClient(target: RedisTarget, role: RedisRole): RedisClient {
  const options = optionsFor(role);
  const { enableOfflineQueue, retryStrategy, lazyConnect = true, ...nodeOptions } = options;
  switch (target.kind) {
    case 'single':
      return new Redis(target.url, options);
    case 'sentinel':
      return new Redis({ ...options, ...target.options });
    case 'cluster':
      return new Cluster(target.nodes, {
        lazyConnect,
        ...(enableOfflineQueue !== undefined && { enableOfflineQueue }),
        clusterRetryStrategy: reconnectDelayMs,
        redisOptions: { ...nodeOptions, ...target.options },
      });
  }
}

function optionsFor(role: RedisRole): RedisOptions {
  const shared: RedisOptions = {
    // BullMQ copies a worker's client for its blocking commands. If the copy connects lazily and its first attempt is
    // refused, BullMQ gives up for good.
    lazyConnect: role === 'producer',
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    retryStrategy: reconnectDelayMs,
    // After a failover the old master answers READONLY: reconnect and resend the command.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  };
  return role === 'producer'
    ? {
        ...shared,
        enableOfflineQueue: false,
        maxRetriesPerRequest: 1,
        commandTimeout: COMMAND_TIMEOUT_MS,
      }
    : { ...shared, maxRetriesPerRequest: null };
}

function reconnectDelayMs(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), MAX_RECONNECT_DELAY_MS);
}

async function connectWithin(client: RedisClient, timeoutMs: number): Promise<void> {
  const ready = Promise.withResolvers<void>();
  client.once('ready', () => ready.resolve());
  const timer = setTimeout(
    () => ready.reject(new Error(`no answer in ${timeoutMs} ms`)),
    timeoutMs,
  );
  // The client retries a refused first connection; only the deadline ends the wait.
  client.connect().catch(() => undefined);
  try {
    await ready.promise;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Rejects a Redis that is too old for the queues, and warns about one that may evict jobs. `INFO` tells both and,
 * unlike `CONFIG`, is allowed by hosted services.
 */
export async function assertUsableRedis(
  client: Pick<RedisClient, 'info'>,
  log: Logger,
): Promise<void> {
  const info = await client.info();
  const version = field(info, 'redis_version');
  if (version !== null && Number.parseInt(version, 10) < REDIS_MINIMUM_MAJOR) {
    throw new StartError(
      `Redis ${version} at REDIS_URL is too old: Millrace needs Redis ${REDIS_MINIMUM_MAJOR} or newer, or Valkey. Upgrade it, or remove REDIS_URL to keep the queues in Postgres.`,
    );
  }
  const policy = field(info, 'maxmemory_policy');
  if (policy !== null && policy !== 'noeviction') {
    log.warn(
      { maxmemoryPolicy: policy },
      'Redis may evict queued jobs when its memory is full; reconcile would restore them only after a delay. Set maxmemory-policy to noeviction.',
    );
  }
}

function field(info: string, name: string): string | null {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;
}
