import type { Logger } from 'pino';
import { replicationBeats } from './operations/replication-beat.ts';
import type { Config } from './platform/config.ts';
import type { DataDirectory } from './platform/data-directory.ts';
import { type Database, type OpenDatabase, openDatabase } from './platform/database.ts';
import { assertSchemaIsCurrent, migrate } from './platform/migrations.ts';
import { NO_REPLICA, openReadReplica, type ReadReplica } from './platform/read-replica.ts';
import type { Tracing } from './platform/tracing.ts';
import type { Services } from './services.ts';
import type { WaitPolicy } from './platform/wait-for-server.ts';

/** Opens the database, checks its schema, and connects to its replica. */
export async function openRows(
  config: Config,
  {
    dataDirectory,
    patience,
    tracing,
  }: { dataDirectory: DataDirectory | null; patience: WaitPolicy; tracing: Tracing },
  opened: AsyncDisposableStack,
): Promise<{
  database: OpenDatabase;
  rows: Pick<Services, 'db' | 'directDb' | 'readReplica'>;
}> {
  const { log } = patience;
  const place = {
    databaseUrl: config.DATABASE_URL ?? null,
    directUrl: config.DATABASE_DIRECT_URL ?? null,
    poolSize: config.DATABASE_POOL_SIZE,
    directory: dataDirectory?.databasePath ?? null,
  };
  const database = await openDatabase(place, log, patience, tracing);
  opened.defer(() => database.close());
  await prepareSchema(config, database.db, log);
  const { db, directDb } = database;
  const readReplica = await openReplica(config, db, log, opened);
  return { database, rows: { db, directDb, readReplica } };
}

async function openReplica(
  { DATABASE_REPLICA_URL: url, ...config }: Config,
  primary: Database,
  log: Logger,
  opened: AsyncDisposableStack,
): Promise<ReadReplica> {
  if (url === undefined) return NO_REPLICA;
  return opened.use(
    await openReadReplica({
      primary,
      url,
      poolSize: config.DATABASE_POOL_SIZE,
      maxLagMs: config.DATABASE_REPLICA_MAX_LAG_SECONDS * 1_000,
      beats: replicationBeats,
      log,
    }),
  );
}

/** The embedded size migrates itself; on a server, an operator decides when (`npm run migrate`). */
async function prepareSchema(config: Config, db: Database, log: Logger): Promise<void> {
  if (config.size === 'embedded') await migrate(db, log);
  else await assertSchemaIsCurrent(db, log);
}
