import pino from 'pino';
import { createApp } from '#src/api/app.ts';
import type { Route } from '#src/api/route.ts';
import { startServer } from '#src/api/server.ts';
import { createApiKey } from '#src/accounts/api-keys.ts';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { parseConfig } from '#src/platform/config.ts';
import { type Database, overPglite } from '#src/platform/database.ts';
import { createMetrics } from '#src/platform/metrics.ts';
import { openPglite } from '#src/platform/pglite.ts';
import type { Services } from '#src/services.ts';
import type { Role } from '#src/tables.ts';
import { up } from '#migrations/0001-engine.ts';

export const BOOTSTRAP_KEY = 'bootstrap-key-for-tests-0123456789';

/** An empty database in memory with the schema. */
export async function openTestDatabase(): Promise<Database> {
  const { db } = overPglite(await openPglite(null));
  await up(db as never); // a migration knows no tables
  return db;
}

export interface TestApi extends AsyncDisposable {
  url: string;
  services: Services;
  db: Database;
  /** Parsed log lines, in order. */
  logged: Record<string, unknown>[];
  close(deadlineMs: number): Promise<void>;
  keyFor(role: Role): Promise<string>;
}

/** A listening API over `routes`, with an in-memory database and a queue that answers. */
export async function openTestApi(
  routes: readonly Route[],
  {
    settings = {},
    overrides = {},
  }: { settings?: Record<string, string>; overrides?: Partial<Services> } = {},
): Promise<TestApi> {
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) });
  const db = await openTestDatabase();
  const bootstrap = await ensureBootstrap(db, { bootstrapKey: BOOTSTRAP_KEY });
  const services = {
    config: parseConfig({ PORT: '0', ...settings }),
    log,
    clock: () => new Date(),
    db,
    metrics: createMetrics(),
    rateLimitStore: { kind: 'memory' },
    producer: { openQueues: () => [], ping: async () => undefined },
    ...overrides,
  } as unknown as Services; // the parts that these routes use
  const server = await startServer(services, createApp(services, routes, { checkReplies: true }));
  return {
    url: server.url,
    services,
    db,
    logged,
    close: (deadlineMs) => server.close(deadlineMs),
    async keyFor(role) {
      const { key } = await createApiKey(db, {
        ...bootstrap,
        name: role,
        role,
        expiresInDays: null,
      });
      return key;
    },
    async [Symbol.asyncDispose]() {
      await server.close(100);
      await db.destroy();
    },
  };
}

export function bearer(key: string): { authorization: string } {
  return { authorization: `Bearer ${key}` };
}
