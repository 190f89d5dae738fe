import {
  Kysely,
  type KyselyConfig,
  PGliteDialect,
  PostgresDialect,
  sql,
  type Transaction,
} from 'kysely';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Tables } from '#src/tables/tables.ts';
import { awaitPostgres } from './await-postgres.ts';
import type { EmbeddedDatabase } from './embedded-database.ts';
import { openPgliteThread } from './pglite-client.ts';
import { withCopy } from './pglite-copy.ts';
import { openPool } from './postgres.ts';
import { serverAttributes, traceStatements } from './trace-statements.ts';
import { NO_TRACING, type Tracing } from './tracing.ts';
import type { WaitPolicy } from './wait-for-server.ts';

export { copyRows } from './copy-rows.ts';

export type Database = Kysely<Tables>;
export type DatabaseTransaction = Transaction<Tables>;

export interface OpenDatabase {
  readonly db: Database;
  /** The embedded instance, which the queues share; null on a server. */
  readonly pglite: EmbeddedDatabase | null;
  /** How long the embedded instance has been idle, in milliseconds; null on a server. */
  readonly idleMs: (() => number) | null;
  readonly pool: Pool | null;
  close(): Promise<void>;
}

/**
 * Opens the server at `databaseUrl`, or the embedded database in `directory`. With `patience`, waits until the server
 * has answered.
 * @throws StartError when there is no space for the embedded database, or the server is unavailable for too long
 */
export async function openDatabase(
  options: { databaseUrl: string | null; poolSize: number; directory: string | null },
  log: Logger,
  patience: WaitPolicy | null = null,
  tracing: Tracing = NO_TRACING,
): Promise<OpenDatabase> {
  if (options.databaseUrl === null) {
    const pglite = await openPgliteThread(options.directory);
    return { ...overPglite(pglite, tracing), idleMs: () => pglite.idleMs() };
  }
  if (patience) await awaitPostgres(options.databaseUrl, patience);
  const pool = openPool(options.databaseUrl, options.poolSize, log);
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    ...statementLog(tracing, options.databaseUrl),
  });
  return { db, pglite: null, idleMs: null, pool, close: () => db.destroy() };
}

/** Kysely over an embedded instance that is already open. */
export function overPglite(pglite: EmbeddedDatabase, tracing: Tracing = NO_TRACING): OpenDatabase {
  const db = new Kysely<Tables>({
    dialect: new PGliteDialect({ pglite: withCopy(pglite) }),
    ...statementLog(tracing, null),
  });
  return { db, pglite, idleMs: null, pool: null, close: () => db.destroy() };
}

function statementLog(tracing: Tracing, databaseUrl: string | null): Pick<KyselyConfig, 'log'> {
  const log = traceStatements(tracing, serverAttributes(databaseUrl));
  return log === null ? {} : { log };
}

/** Resolves when the database answers; throws the driver's error when it does not. */
export async function pingDatabase(db: Database): Promise<void> {
  await sql`select 1`.execute(db);
}
