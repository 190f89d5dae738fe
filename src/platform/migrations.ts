import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import type { Logger } from 'pino';
import type { Database } from './database.ts';
import { describeDatabaseError } from './describe-database-error.ts';
import { StartError } from './errors.ts';

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url));
/** Below this version, pgvector's HNSW vacuum can corrupt the index (pgvector 0.8.3 and 0.8.4 changelogs). */
const SAFE_PGVECTOR = '0.8.4';
/** Iterative index scans were added in this version. */
const MIN_PGVECTOR = '0.8.0';

/**
 * Migrates the schema to this code's version. Two processes may start at once: Kysely's migrator holds a database lock,
 * and the second finds nothing left to do.
 * @throws StartError when pgvector is missing or the schema is newer than the code
 */
export async function migrate(db: Database, log: Logger): Promise<void> {
  await checkVectorExtension(db, log);
  // Even with nothing to do, the migrator reads the whole catalog twice, a tenth of the processor time of a start.
  if ((await findPending(db)).length === 0) return;
  const { error, results } = await migratorFor(db).migrateToLatest();
  for (const result of results ?? []) {
    log.info({ migration: result.migrationName, status: result.status }, 'migration');
  }
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  throw new StartError(
    `${failed === undefined ? 'Migrating the database' : `The migration ${failed}`} failed: ${describeDatabaseError(error)}. The schema is as it was before.`,
    { cause: error },
  );
}

/** @throws StartError with the remedy when the schema is older or newer than the code */
export async function assertSchemaIsCurrent(db: Database, log: Logger): Promise<void> {
  await checkVectorExtension(db, log);
  const pending = await findPending(db);
  if (pending.length > 0) {
    throw new StartError(
      `The database lacks ${pending.length} migration(s) (${pending.join(', ')}). Run: npm run migrate`,
    );
  }
}

function migratorFor(db: Database): Migrator {
  const provider = new FileMigrationProvider({
    fs: { readdir },
    path,
    migrationFolder: FOLDER,
  });
  return new Migrator({ db, provider });
}

/**
 * @returns the names of the migrations that the database lacks, in their order
 * @throws StartError when it has others
 */
async function findPending(db: Database): Promise<string[]> {
  const known = new Set((await readdir(FOLDER)).map((file) => path.parse(file).name));
  const done = await findDone(db);
  const unknown = done.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new StartError(
      `The database schema is newer than this code: it has ${unknown.join(', ')}. Start the version of Millrace that made it, or a later one.`,
    );
  }
  return Array.from(known.difference(new Set(done))).toSorted();
}

async function findDone(db: Database): Promise<string[]> {
  const { rows: tables } = await sql<{ present: boolean }>`
    select to_regclass('public.kysely_migration') is not null as present`.execute(db);
  if (tables[0]?.present !== true) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

async function checkVectorExtension(db: Database, log: Logger): Promise<void> {
  const { rows } = await sql<{ version: string | null; server: number }>`
    select coalesce(installed_version, default_version) as version,
           current_setting('server_version_num')::int as server
    from (select 1) one left join pg_available_extensions on name = 'vector'`.execute(db);
  const version = rows[0]?.version ?? null;
  if ((rows[0]?.server ?? 0) < 150_000) {
    throw new StartError(
      'Millrace needs Postgres 15 or later. Point DATABASE_URL at a newer server.',
    );
  }
  if (version === null) {
    throw new StartError(
      'This Postgres has no pgvector. Install it (Debian: postgresql-NN-pgvector; Docker: the pgvector/pgvector image) and start again.',
    );
  }
  if (isOlder(version, MIN_PGVECTOR)) {
    throw new StartError(
      `This database has pgvector ${version}; Millrace needs ${MIN_PGVECTOR} or later. Upgrade the package, then run: alter extension vector update`,
    );
  }
  if (isOlder(version, SAFE_PGVECTOR)) {
    log.warn(
      { version },
      `pgvector below ${SAFE_PGVECTOR} can corrupt HNSW indexes on vacuum; upgrade it`,
    );
  }
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}
