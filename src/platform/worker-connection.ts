import { ConnectionClosedError, type PgPool, type PgPoolClient, PostgresConnection } from 'bullmq';
import pg from 'pg';
import { SteadyClient } from './postgres.ts';

type ReportError = (error: Error) => void;

/** SQLSTATEs of a server that is stopping, starting or full, besides class 08 (connection exceptions). */
const LOST_CODES = /^(?:08|57P|53300$)/;
/** Schema of BullMQ's tables; its statements name them without it. */
const SEARCH_PATH = '-c search_path="bullmq"';

/**
 * One worker's access to queues in Postgres: a pool, one connection of which listens. BullMQ alone would open that
 * connection without an error listener, so an error while it opens or closes would end the process.
 */
export function openWorkerConnection(
  settings: pg.PoolConfig,
  reportError: ReportError,
): PostgresConnection {
  return new WorkerConnection(new WorkerPool(settings, reportError));
}

class WorkerConnection extends PostgresConnection {
  #closed: Promise<void> | null = null;

  /**
   * The producers' connection has already migrated the tables. BullMQ would check again and remember a failure for
   * good; such a worker would then retry in a loop that never yields to other tasks.
   */
  override async waitUntilReady(): Promise<void> {}

  /** With `true`, a worker that briefly could not listen would not look for jobs for an hour. */
  override get hasListenClientKeepAlive(): boolean {
    return false;
  }

  override async close(): Promise<void> {
    this.#closed ??= super.close().then(async () => this.pool.end());
    return this.#closed;
  }
}

/**
 * A pool that reports an unavailable store with the errors that BullMQ recognizes. For those, BullMQ waits a second and
 * retries; for any other error it would retry at once, and would run a job a second time if its end could not be
 * recorded.
 */
class WorkerPool implements PgPool {
  readonly #pool: pg.Pool;
  readonly #reportError: ReportError;

  constructor(settings: pg.PoolConfig, reportError: ReportError) {
    this.#pool = new pg.Pool({ ...settings, options: SEARCH_PATH });
    this.#reportError = reportError;
  }

  async query(text: string, parameters?: readonly unknown[]): Promise<pg.QueryResult> {
    try {
      return await this.#pool.query(text, parameters === undefined ? undefined : [...parameters]);
    } catch (error) {
      throw this.#inItsWords(error);
    }
  }

  async connect(): Promise<PgPoolClient> {
    try {
      const client = await this.#pool.connect();
      if (client instanceof SteadyClient && client.failure) {
        client.release(true);
        throw client.failure;
      }
      // Matches BullMQ's own description of a `pg` client, except for the overloads of `on`.
      return client as unknown as PgPoolClient;
    } catch (error) {
      throw this.#inItsWords(error);
    }
  }

  async end(): Promise<void> {
    return this.#pool.end();
  }

  on(event: 'error' | 'connect', listener: (value: never) => void): this {
    this.#pool.on(event, listener as () => void);
    return this;
  }

  removeAllListeners(event?: string): this {
    this.#pool.removeAllListeners(event);
    return this;
  }

  #inItsWords(error: unknown): unknown {
    if (!(error instanceof Error) || !isLost(error)) return error;
    this.#reportError(error);
    return new ConnectionClosedError(error.message, error);
  }
}

/** Any error that is not a statement error concerns the connection: refused, cut, or silent for too long. */
function isLost(error: Error): boolean {
  return !(error instanceof pg.DatabaseError) || LOST_CODES.test(error.code ?? '');
}
