import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Database, openDatabase } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { chooseFixedPort, type ServiceProcess, startProcess } from './child-process.ts';
import { openTestEnvironment, type TestEnvironment } from './test-environment.ts';
import { migrateTestDatabase } from './test-millrace.ts';
import { until } from './until.ts';

/** A Millrace of several processes over one database, which the test observes from outside. */
export interface TestProcesses extends AsyncDisposable {
  readonly environment: TestEnvironment;
  /** The test's own connections, unaffected by the faults it injects. */
  readonly db: Database;
  /** Where the API is, or will be. */
  readonly service: { url: string; key: string };
  readonly client: ApiClient;
  startApi(log?: { logLevel: string; keptLines: number }): Promise<ServiceProcess>;
  startWorkers(settings?: Record<string, string>): Promise<ServiceProcess>;
  /** Waits until every document is indexed or failed and none is being deleted. */
  settled(timeoutMs: number): Promise<void>;
}

/**
 * Migrates an empty database; the test starts processes, which are killed at the end.
 * @param overrides settings computed from those of the environment
 */
export async function openTestProcesses(
  overrides: (
    settings: Record<string, string>,
  ) => Promise<Record<string, string>> | Record<string, string> = () => ({}),
): Promise<TestProcesses> {
  await using opened = new AsyncDisposableStack();
  const environment = opened.use(await openTestEnvironment());
  const databaseUrl = environment.settings['DATABASE_URL'];
  if (databaseUrl === undefined) throw new Error('Several processes need TEST_DATABASE_URL.');
  const port = await chooseFixedPort();
  const settings = {
    ...environment.settings,
    PORT: String(port),
    ...(await overrides(environment.settings)),
  };
  await migrateTestDatabase({ ...settings, DATABASE_URL: databaseUrl });
  const database = await openDatabase(
    {
      databaseUrl,
      directUrl: environment.settings['DATABASE_DIRECT_URL'] ?? null,
      poolSize: 3,
      directory: null,
    },
    createLog('silent'),
  );
  opened.defer(() => database.close());
  const running = opened.use(new AsyncDisposableStack());
  const start = async (...parts: Parameters<typeof startProcess>) => {
    const process = await startProcess(...parts);
    if (!running.disposed) return running.use(process);
    await process.kill();
    throw new Error('The test ended while a process was starting.');
  };
  const service = { url: `http://127.0.0.1:${port}`, key: environment.adminKey };
  const processes = {
    environment,
    db: database.db,
    service,
    client: createApiClient(service.url, service.key),
    startApi: (log?: { logLevel: string; keptLines: number }) =>
      start('src/api.ts', settings, [], log),
    startWorkers: (more: Record<string, string> = {}) =>
      start('workers/main.ts', { ...settings, ...more }),
    settled: (timeoutMs: number) =>
      until(() => noneUnfinished(database.db).catch(() => false), timeoutMs, 200),
  };
  const resources = opened.move();
  return { ...processes, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function noneUnfinished(db: Database): Promise<boolean> {
  const { rows } = await sql`select 1 from document
    where status in ('accepted', 'indexing', 'deleting') limit 1`.execute(db);
  return rows.length === 0;
}

/** Number of documents claimed by workers. */
async function claimedDocuments(db: Database): Promise<number> {
  const { rows } = await sql<{ claimed: number }>`
    select count(*)::int as claimed from document where status = 'indexing'`.execute(db);
  return rows[0]?.claimed ?? 0;
}

/** Kills the only worker at a moment when it holds documents. @returns how many it held */
export async function killWhileIndexing(worker: ServiceProcess, db: Database): Promise<number> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    // While stopped, it neither finishes nor claims documents.
    worker.signal('SIGSTOP');
    const held = await claimedDocuments(db);
    if (held > 0) {
      await worker.kill();
      return held;
    }
    worker.signal('SIGCONT');
    await wait(10);
  }
  throw new Error('The worker never held a document.');
}
