import { createEmbedder } from '#src/documents/create-embedder.ts';
import { assertEmbeddingModel } from '#src/documents/embedding-model.ts';
import { openIndexThreads } from '#src/documents/index-threads.ts';
import { parseConfig } from '#src/platform/config.ts';
import { openDatabase } from '#src/platform/database.ts';
import { createOperatorFetch } from '#src/platform/http.ts';
import { createLog } from '#src/platform/log.ts';
import { migrate } from '#src/platform/migrations.ts';
import type { Services } from '#src/services.ts';
import { startMillrace } from '#src/start-millrace.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { openTestEnvironment } from './test-environment.ts';
import { until } from './until.ts';

/** Enough for hundreds of documents, but less than the timeout of a test, so that it fails with its own message. */
const SETTLE_MS = 50_000;

/** A whole Millrace in this process, of the size that the environment selects. */
export interface TestMillrace extends ApiClient, AsyncDisposable {
  readonly size: 'embedded' | 'one-database' | 'scale-out';
  readonly adminKey: string;
  readonly services: Services;
  /** Waits until no document is waiting or being indexed or deleted. */
  settled(key?: string): Promise<void>;
  /** Creates a workspace with its admin key. */
  createWorkspace(planTier?: string): Promise<{ workspaceId: string; key: string }>;
}

export async function startTestMillrace(
  overrides: Record<string, string> = {},
): Promise<TestMillrace> {
  await using opened = new AsyncDisposableStack();
  const environment = opened.use(await openTestEnvironment(overrides));
  await migrateTestDatabase(environment.settings);
  const running = await startMillrace(parseConfig(environment.settings));
  opened.defer(async () => {
    for (const phase of running.phases) await phase.run();
  });
  const client = createApiClient(running.url, environment.adminKey);
  const resources = opened.move();
  return {
    ...client,
    size: environment.size,
    adminKey: environment.adminKey,
    services: running.services,
    settled: (key = environment.adminKey) =>
      until(async () => {
        const { body } = await client.call('GET', '/service-api/ingestion/stats', undefined, {
          key,
        });
        return body.counts.accepted + body.counts.indexing + body.counts.deleting === 0;
      }, SETTLE_MS),
    async createWorkspace(planTier = 'Enterprise') {
      const { body } = await client.call('POST', '/manage/admin/workspaces', {
        name: 'Another',
        plan_tier: planTier,
      });
      return { workspaceId: body.workspace_id, key: body.api_key };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Does what `npm run migrate` does; the embedded size migrates when it starts. */
export async function migrateTestDatabase(settings: Record<string, string>): Promise<void> {
  const config = parseConfig(settings);
  if (config.DATABASE_URL === undefined) return;
  const log = createLog('error');
  const database = await openDatabase(
    {
      databaseUrl: config.DATABASE_URL,
      directUrl: config.DATABASE_DIRECT_URL ?? null,
      poolSize: 2,
      directory: null,
    },
    log,
  );
  const threads = openIndexThreads(1, log);
  try {
    await migrate(database.directDb, log);
    await assertEmbeddingModel(
      database.db,
      await createEmbedder(config, createOperatorFetch(), threads),
    );
  } finally {
    await threads.close();
    await database.close();
  }
}
