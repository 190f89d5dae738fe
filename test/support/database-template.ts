import { constants } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog } from '#src/platform/log.ts';
import { type OpenDatabase, openDatabase } from '#src/platform/database.ts';
import { migrate } from '#src/platform/migrations.ts';
import { openQueueBackend } from '#src/platform/queue-backend.ts';
import { createTestDatabase } from './test-database.ts';

/** Where `setup` left the template: a folder of the embedded database, or the name of a database. */
const VARIABLE = 'TEST_DATABASE_TEMPLATE';

/**
 * Once before the integration tests: a database with all migrations and no rows. Each test's own is a copy of it,
 * which takes a tenth of the time (the embedded size runs all of `initdb` for a new one).
 * @returns what removes it
 */
export async function setup(): Promise<() => Promise<void>> {
  const { TEST_DATABASE_URL: serverUrl } = process.env;
  await using opened = new AsyncDisposableStack();
  if (serverUrl) {
    const { name, url } = await createTestDatabase(serverUrl, opened, null);
    await prepare({ databaseUrl: url, directory: null });
    process.env[VARIABLE] = name;
  } else {
    const directory = await mkdtemp(path.join(tmpdir(), 'millrace-template-'));
    opened.defer(() => rm(directory, { recursive: true, force: true }));
    await prepare({ databaseUrl: null, directory });
    process.env[VARIABLE] = directory;
  }
  const resources = opened.move();
  return () => resources.disposeAsync();
}

/** The name of the template on the server; null without one, then a new database is empty. */
export function templateDatabase(): string | null {
  return process.env[VARIABLE] ?? null;
}

/** Puts a copy of the template where the embedded size expects its database; without a template, nothing. */
export async function copyTemplate(dataDirectory: string): Promise<void> {
  const template = process.env[VARIABLE];
  if (template === undefined) return;
  await cp(template, path.join(dataDirectory, 'pglite'), {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
  });
}

async function prepare(place: {
  databaseUrl: string | null;
  directory: string | null;
}): Promise<void> {
  const log = createLog('error');
  const database = await openDatabase({ ...place, poolSize: 2 }, log);
  try {
    await migrate(database.db, log);
    await prepareQueues(database, place.databaseUrl);
  } finally {
    await database.close();
  }
}

/** BullMQ's own tables, which it makes when its store is opened. */
async function prepareQueues({ pglite }: OpenDatabase, databaseUrl: string | null): Promise<void> {
  const queues = await openQueueBackend({
    size: databaseUrl === null ? 'embedded' : 'one-database',
    pglite,
    databaseUrl: databaseUrl ?? undefined,
    redisUrl: undefined,
    log: createLog('error'),
  });
  await queues.close();
}
