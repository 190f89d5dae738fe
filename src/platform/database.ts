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
import { assertSameDatabase } from './same-database.ts';
import type { EmbeddedDatabase } from './embedded-database.ts';
import { openPgliteThread } from './pglite-client.ts';
import { withCopy } from './pglite-copy.ts';
import { StartError } from './errors.ts';
import { openPool } from './postgres.ts';
import { serverAttributes, traceStatements } from './trace-statements.ts';
import { NO_TRACING, type Tracing } from './tracing.ts';
import { noWaiting, type WaitPolicy } from './wait-for-server.ts';

export { copyRows } from './copy-rows.ts';

export type Database = Kysely<Tables>;
export type DatabaseTransaction = Transaction<Tables>;

export interface OpenDatabase {
  readonly db: Database;
  /** For what outlives a transaction in its session. The same as `db` unless `DATABASE_URL` leads to a pooler. */
  readonly directDb: Database;
  /** The embedded instance, which the queues share; null on a server. */
  readonly pglite: EmbeddedDatabase | null;
  /** How long the embedded instance has been idle, in milliseconds; null on a server. */
  readonly idleMs: (() => number) | null;
  readonly pool: Pool | null;
  close(): Promise<void>;
}

export interface DatabasePlace {
  databaseUrl: string | null;
  /** The address of the server itself, when `databaseUrl` leads to a pooler. */
  directUrl?: string | null;
  poolSize: number;
  directory: string | null;
}

/** Migrations and index builds take one of these connections at a time; they are opened when needed. */
const DIRECT_POOL_SIZE = 2;

/**
 * Opens the server at `databaseUrl`, or the embedded database in `directory`. With `patience`, waits until the server
 * has answered.
 * @throws StartError when there is no space for the embedded database, the server is unavailable for too long, or an
 * address does not lead where it must
 */
export async function openDatabase(
  options: DatabasePlace,
  log: Logger,
  patience: WaitPolicy | null = null,
  tracing: Tracing = NO_TRACING,
): Promise<OpenDatabase> {
  if (options.databaseUrl === null) {
    const pglite = await openPgliteThread(options.directory);
    return { ...overPglite(pglite, tracing), idleMs: () => pglite.idleMs() };
  }
  const { databaseUrl, directUrl = null, poolSize } = options;
  const waiting = patience ?? noWaiting(log);
  const { isPooled, place } = await awaitPostgres(
    { url: databaseUrl, setting: 'DATABASE_URL' },
    waiting,
  );
  if (directUrl !== null) await awaitDirect(directUrl, waiting);
  else if (isPooled) throw needsDirectUrl(place);
  await using opened = new AsyncDisposableStack();
  const over = (url: string, pool: Pool): Database => {
    const db = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool }),
      ...statementLog(tracing, url),
    });
    opened.defer(() => db.destroy());
    return db;
  };
  const pool = openPool(databaseUrl, poolSize, log, { isPooled });
  const db = over(databaseUrl, pool);
  const directDb =
    directUrl === null ? db : over(directUrl, openPool(directUrl, DIRECT_POOL_SIZE, log));
  if (directUrl !== null) await assertSameDatabase(db, directDb);
  if (isPooled) await warnOfEndlessStatements(db, log);
  const resources = opened.move();
  return { db, directDb, pglite: null, idleMs: null, pool, close: () => resources.disposeAsync() };
}

async function awaitDirect(url: string, patience: WaitPolicy): Promise<void> {
  const { isPooled, place } = await awaitPostgres(
    { url, setting: 'DATABASE_DIRECT_URL' },
    patience,
  );
  if (!isPooled) return;
  throw new StartError(
    `DATABASE_DIRECT_URL leads to a connection pooler (${place}), too. Set it to the address of the Postgres server itself.`,
  );
}

function needsDirectUrl(place: string): StartError {
  return new StartError(
    `DATABASE_URL leads to a connection pooler such as PgBouncer (${place}). Set DATABASE_DIRECT_URL as well: the address of the Postgres server itself, for migrations, index builds and queues in Postgres.`,
  );
}

/** A statement that never ends holds one of the few sessions of the pooler. */
async function warnOfEndlessStatements(db: Database, log: Logger): Promise<void> {
  const { rows } = await sql<{ limit: string }>`
    select current_setting('statement_timeout') as limit`.execute(db);
  if (rows[0]?.limit !== '0') return;
  log.warn(
    "The sessions of the connection pooler have no statement_timeout. Set one, for PgBouncer with connect_query='set statement_timeout = 120000; set jit = off' in its [databases] section.",
  );
}

/** Kysely over an embedded instance that is already open. */
export function overPglite(pglite: EmbeddedDatabase, tracing: Tracing = NO_TRACING): OpenDatabase {
  const db = new Kysely<Tables>({
    dialect: new PGliteDialect({ pglite: withCopy(pglite) }),
    ...statementLog(tracing, null),
  });
  return { db, directDb: db, pglite, idleMs: null, pool: null, close: () => db.destroy() };
}

function statementLog(tracing: Tracing, databaseUrl: string | null): Pick<KyselyConfig, 'log'> {
  const log = traceStatements(tracing, serverAttributes(databaseUrl));
  return log === null ? {} : { log };
}

/** Resolves when the database answers; throws the driver's error when it does not. */
export async function pingDatabase(db: Database): Promise<void> {
  await sql`select 1`.execute(db);
}
