import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Logger } from 'pino';
import { copyPayloadOf } from './copy-rows.ts';

const INT8_OID = 20;
/** No statement of a request or a job takes this long; building an index lifts it for itself. */
const STATEMENT_TIMEOUT_MS = 120_000;

/**
 * A client whose connection may break at any time. The pool listens to idle clients only; without a listener the error
 * of one that breaks in use would end the process. The statement that was running, or comes next, rejects with it.
 */
export class SteadyClient extends pg.Client {
  #failure: Error | null = null;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', (error) => {
      this.#failure ??= error;
    });
  }

  /** What broke the connection; null while it lasts. */
  get failure(): Error | null {
    return this.#failure;
  }
}

/** The SQLSTATE of what the server said; null for what it did not say, such as a connection refused. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : null;
}

/** A client that also runs the COPY statements of `copyRows`. */
class CopyingClient extends SteadyClient {
  // The overloads of pg's `query` cannot be restated; everything but a COPY goes through untouched.
  override query(...args: unknown[]): never {
    const copy = copyPayloadOf(args[1]);
    const result: unknown = copy
      ? this.#copy(String(args[0]), copy.bytes)
      : // oxlint-disable-next-line typescript/unbound-method -- bound by this very call
        Reflect.apply(super.query, this, args);
    return result as never;
  }

  async #copy(statement: string, bytes: Buffer): Promise<pg.QueryResult> {
    const stream = super.query(copyFrom(statement));
    stream.end(bytes);
    await finished(stream);
    return { command: 'COPY', rowCount: stream.rowCount, rows: [], oid: 0, fields: [] };
  }
}

/**
 * A pool whose `bigint` values arrive as numbers (ids and counts stay far below 2^53) and whose
 * broken idle connections are logged and replaced instead of ending the process.
 */
export function openPool(databaseUrl: string, size: number, log: Logger): pg.Pool {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary'): unknown =>
      oid === INT8_OID && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
  };
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: size,
    Client: CopyingClient,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'millrace',
    // PGlite has no JIT; on short statements compiling costs more than it saves.
    options: '-c jit=off',
    types,
  });
  pool.on('error', (error) => log.warn({ error: error.message }, 'idle database connection lost'));
  return pool;
}
