import { cpSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog } from '#src/platform/log.ts';
import { type OpenDatabase, openDatabase } from '#src/platform/database.ts';
import { migrate } from '#src/platform/migrations.ts';
import { openQueueBackend } from '#src/platform/queue-backend.ts';
import { createTestDatabase } from './test-database.ts';

/** Where `setup` put the template: a folder of the embedded database, or the name of a database. */
const VARIABLE = 'TEST_DATABASE_TEMPLATE';

/**
 * Runs once before the integration tests and creates a database with all migrations and no rows. Every test copies it,
 * which takes a tenth of the time (the embedded size would run all of `initdb`).
 * @returns a function that removes it
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

/** Name of the template on the server; null without one, in which case new databases are empty. */
export function templateDatabase(): string | null {
  return process.env[VARIABLE] ?? null;
}

/** Copies the template to where the embedded size expects its database; does nothing without a template. */
export async function copyTemplate(dataDirectory: string): Promise<void> {
  const template = process.env[VARIABLE];
  if (template === undefined) return;
  await keepCompiledPostgres();
  // For 1,500 small files, `cp` takes six times the processor time.
  cpSync(template, path.join(dataDirectory, 'pglite'), { recursive: true });
}

let compiledPostgres: WebAssembly.Module | undefined;

/**
 * Threads of a process share compiled WebAssembly as long as one of them holds it. Without this, every test compiles
 * Postgres again, which is a third of what starting the embedded size costs.
 */
async function keepCompiledPostgres(): Promise<void> {
  const file = fileURLToPath(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')));
  compiledPostgres ??= await WebAssembly.compile(await readFile(file));
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

/** BullMQ's own tables, which BullMQ creates when its store is opened. */
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
