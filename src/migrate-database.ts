import { createEmbedder } from './documents/create-embedder.ts';
import { assertEmbeddingModel, reembedEverything } from './documents/embedding-model.ts';
import { openIndexThreads } from './documents/index-threads.ts';
import { acceptLostKey } from './encryption/accept-lost-key.ts';
import { assertKeyRing } from './encryption/assert-key-ring.ts';
import { readKeyRing } from './encryption/key-ring.ts';
import type { Config } from './platform/config.ts';
import { openDataDirectory } from './platform/data-directory.ts';
import { openDatabase } from './platform/database.ts';
import { createOperatorFetch } from './platform/http.ts';
import { createLog } from './platform/log.ts';
import { migrate } from './platform/migrations.ts';
import { openQueueBackend } from './platform/queue-backend.ts';

/** Migrates the schema, the queue tables and the embedding model, checks the encryption keys, and reports on stdout. */
export async function migrateDatabase(
  config: Config,
  { reembed, lostKey }: { reembed: boolean; lostKey: string | undefined },
): Promise<void> {
  const log = createLog(config.LOG_LEVEL);
  await using opened = new AsyncDisposableStack();
  const directory = config.size === 'embedded' ? await openDataDirectory(config.DATA_DIR) : null;
  opened.defer(() => directory?.release());
  directory?.saveSecrets(directory.secrets);
  const database = await openDatabase(
    {
      databaseUrl: config.DATABASE_URL ?? null,
      directUrl: config.DATABASE_DIRECT_URL ?? null,
      poolSize: 2,
      directory: directory?.databasePath ?? null,
    },
    log,
    { log, signal: null, timeoutMs: config.START_WAIT_SECONDS * 1_000 },
  );
  opened.defer(() => database.close());
  // Migrations lock, and set what lasts in their session.
  const db = database.directDb;
  await migrate(db, log);
  const ring = readKeyRing(config, directory);
  if (lostKey !== undefined) {
    const count = await acceptLostKey(db, ring, lostKey);
    const stay = count === 1 ? '1 value stays' : `${count} values stay`;
    process.stdout.write(
      `${stay} unreadable until entered again, or until the key ${lostKey} is back.\n`,
    );
  }
  await assertKeyRing(db, ring);
  // Opening the queues creates their tables; on Redis there are none.
  if (config.size !== 'scale-out') {
    const backend = await openQueueBackend({
      size: config.size,
      pglite: database.pglite,
      databaseUrl: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
      redisUrl: undefined,
      log,
    });
    opened.defer(() => backend.close());
  }
  const threads = openIndexThreads(1, log);
  opened.defer(() => threads.close());
  const embedder = await createEmbedder(config, createOperatorFetch(), threads);
  if (reembed) {
    const waiting = await reembedEverything(db, embedder);
    process.stdout.write(`${waiting} documents will be indexed again with ${embedder.model}.\n`);
  } else {
    await assertEmbeddingModel(db, embedder);
  }
  process.stdout.write('The database is up to date.\n');
}
