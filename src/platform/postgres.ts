import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Logger } from 'pino';
import { copyPayloadOf } from './copy-rows.ts';

const INT8_OID = 20;
/** No statement of a request or job takes this long; index builds lift the limit for themselves. */
const STATEMENT_TIMEOUT_MS = 120_000;

/**
 * A client whose connection may break at any time. The pool only listens to idle clients; without a listener, the error
 * of a client that breaks in use would end the process. The running or next statement rejects with the error.
 */
export class SteadyClient extends pg.Client {
  #failure: Error | null = null;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', (error) => {
      this.#failure ??= error;
    });
  }

  /** The error that broke the connection; null while it is intact. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** The process id that the other end named when the session began; null before. The types of `pg` lack it. */
  get sessionPid(): number | null {
    const pid: unknown = Reflect.get(this, 'processID');
    return typeof pid === 'number' ? pid : null;
  }
}

/** The SQLSTATE of a server error; null for other errors, such as a refused connection. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : null;
}

/** A client that also runs the COPY statements of `copyRows`. */
class CopyingClient extends SteadyClient {
  // The overloads of pg's `query` cannot be restated; everything but COPY passes through unchanged.
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

/** What the sessions of a pool are set to. A pooler refuses these at the start of a session, and then sets them itself. */
const SESSION_SETTINGS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  // PGlite has no JIT either; on short statements, compiling costs more than it saves.
  options: '-c jit=off',
};

/**
 * A pool whose `bigint` values arrive as numbers (ids and counts stay far below 2^53). Broken idle connections are
 * logged and replaced instead of ending the process.
 * @param isPooled a pooler such as PgBouncer answers at the address
 */
export function openPool(
  databaseUrl: string,
  size: number,
  log: Logger,
  { isPooled = false }: { isPooled?: boolean } = {},
): pg.Pool {
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
    application_name: 'millrace',
    ...(isPooled ? {} : SESSION_SETTINGS),
    types,
  });
  pool.on('error', (error) => log.warn({ error: error.message }, 'idle database connection lost'));
  return pool;
}
