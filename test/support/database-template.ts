import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import {
  appendFile,
  glob,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog } from '#src/platform/log.ts';
import { type OpenDatabase, openDatabase } from '#src/platform/database.ts';
import { migrate } from '#src/platform/migrations.ts';
import { openPglite } from '#src/platform/pglite.ts';
import { openQueueBackend } from '#src/platform/queue-backend.ts';
import { createTestDatabase } from './test-database.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CACHE = path.join(ROOT, 'node_modules/.cache/database-template');
/** Of the embedded template: its data directory, and the same as a tar archive. */
const FILES = 'files';
const SNAPSHOT = 'snapshot.tar';
const DAY_MS = 86_400_000;
/** The sources of the template. */
const SOURCES = [
  'package-lock.json',
  'migrations/*.ts',
  'src/platform/migrations.ts',
  'src/platform/pglite.ts',
  'src/platform/queue-backend.ts',
  'test/support/database-template.ts',
];

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
    process.env[VARIABLE] = path.join(await embeddedTemplate(), FILES);
  }
  const resources = opened.move();
  return () => resources.disposeAsync();
}

/** The template of the embedded size, for a database in memory. */
export async function templateSnapshot(): Promise<Blob> {
  return new Blob([await readFile(path.join(await embeddedTemplate(), SNAPSHOT))]);
}

/**
 * The folder of the embedded template, which is kept between runs, because creating it takes seven seconds of processor
 * time.
 */
async function embeddedTemplate(): Promise<string> {
  const directory = path.join(CACHE, await hashOfSources());
  if (existsSync(directory)) return directory;
  await mkdir(CACHE, { recursive: true });
  await removeUnused();
  const unfinished = await mkdtemp(path.join(CACHE, 'unfinished-'));
  const files = path.join(unfinished, FILES);
  await prepare({ databaseUrl: null, directory: files });
  // Postgres touches all of its buffers when it starts, which takes half as long as all the rest of starting it.
  await appendFile(path.join(files, 'postgresql.conf'), 'shared_buffers = 8MB\n');
  const pglite = await openPglite(files);
  await writeFile(path.join(unfinished, SNAPSHOT), (await pglite.dumpDataDir('none')).stream());
  await pglite.close();
  await rename(unfinished, directory).catch(async (error: unknown) => {
    // Another process may have created it in the meantime.
    if (!existsSync(directory)) throw error;
    await rm(unfinished, { recursive: true });
  });
  return directory;
}

/** Removes templates that no run can still be using. */
async function removeUnused(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const place = path.join(CACHE, name);
    if ((await stat(place)).mtimeMs < Date.now() - DAY_MS) await rm(place, { recursive: true });
  }
}

async function hashOfSources(): Promise<string> {
  const files = await Array.fromAsync(glob(SOURCES, { cwd: ROOT }));
  const hash = createHash('sha256');
  for (const file of files.toSorted())
    hash.update(file).update(readFileSync(path.join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
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
