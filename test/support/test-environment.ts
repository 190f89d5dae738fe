import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { copyTemplate, templateDatabase } from './database-template.ts';
import { openRedisDatabase } from './redis-database.ts';
import { createTestDatabase } from './test-database.ts';

const ADMIN_KEY = 'test-bootstrap-admin-key-0123456789';

/**
 * Settings of a separate Millrace, of the size that TEST_DATABASE_URL and TEST_REDIS_URL select. TEST_POOLER_URL names a
 * pooler in front of that Postgres, which the database of the test is then reached through.
 */
export interface TestEnvironment extends AsyncDisposable {
  readonly size: 'embedded' | 'one-database' | 'scale-out';
  readonly adminKey: string;
  /** For `parseConfig`, or for a child process. */
  readonly settings: Record<string, string>;
}

/** Creates an empty data directory, or an empty database and an empty Redis database. */
export async function openTestEnvironment(
  overrides: Record<string, string> = {},
): Promise<TestEnvironment> {
  const {
    TEST_DATABASE_URL: databaseUrl,
    TEST_POOLER_URL: poolerUrl,
    TEST_REDIS_URL: redisUrl,
  } = process.env;
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'millrace-test-'));
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  const settings: Record<string, string> = {
    PORT: '0',
    DATA_DIR: directory,
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'error',
    BOOTSTRAP_ADMIN_API_KEY: ADMIN_KEY,
    SHUTDOWN_TIMEOUT_SECONDS: '5',
  };
  if (databaseUrl) {
    const database = await createTestDatabase(databaseUrl, opened, templateDatabase());
    settings['DATABASE_URL'] = database.url;
    if (poolerUrl && overrides['DATABASE_URL'] === undefined) {
      settings['DATABASE_DIRECT_URL'] = database.url;
      settings['DATABASE_URL'] = new URL(`/${database.name}`, poolerUrl).href;
    }
    settings['ENCRYPTION_KEY'] = randomBytes(32).toString('base64');
    if (redisUrl) settings['REDIS_URL'] = await openRedisDatabase(redisUrl, opened);
  } else {
    await copyTemplate(directory);
  }
  const resources = opened.move();
  return {
    size: databaseUrl ? (redisUrl ? 'scale-out' : 'one-database') : 'embedded',
    adminKey: ADMIN_KEY,
    settings: { ...settings, ...overrides },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
