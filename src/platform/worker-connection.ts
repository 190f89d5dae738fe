import { ConnectionClosedError, type PgPool, type PgPoolClient, PostgresConnection } from 'bullmq';
import pg from 'pg';
import { SteadyClient } from './postgres.ts';

type ReportError = (error: Error) => void;

/** SQLSTATEs of a server that is going, coming or full, besides class 08 (connection exceptions). */
const LOST_CODES = /^(?:08|57P|53300$)/;
/** Where BullMQ's tables are; its statements name them without their schema. */
const SEARCH_PATH = '-c search_path="bullmq"';

/**
 * One worker's way to queues in Postgres: a pool, one connection of which listens. Left to itself BullMQ opens that
 * connection with nobody to hear its error when it breaks at its birth or at its end, which would end the process.
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
   * The producers' connection has brought the tables up to date. BullMQ would look again and remember a failure for
   * good; a worker that met one would then ask and be refused without ever letting another task run.
   */
  override async waitUntilReady(): Promise<void> {}

  /** With `true`, a worker that could not listen for a moment would not look for jobs in the next hour. */
  override get hasListenClientKeepAlive(): boolean {
    return false;
  }

  override async close(): Promise<void> {
    this.#closed ??= super.close().then(async () => this.pool.end());
    return this.#closed;
  }
}

/**
 * A pool that tells BullMQ in its own words that the store is away. For those it waits a second and asks again; for
 * any other error it would ask again at once, and run a job a second time whose end could not be written down.
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
      // BullMQ's own description of a client of `pg`; only the overloads of `on` are told differently.
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

/** What is no error of a statement is one of the connection: refused, cut, or silent for too long. */
function isLost(error: Error): boolean {
  return !(error instanceof pg.DatabaseError) || LOST_CODES.test(error.code ?? '');
}
