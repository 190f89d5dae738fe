import type { PGlite } from '@electric-sql/pglite';
import pino from 'pino';
import { expect } from 'vitest';
import { openSignIn } from '#src/accounts/people/sign-in.ts';
import { createApp } from '#src/api/app.ts';
import type { Route } from '#src/api/route.ts';
import { startServer } from '#src/api/server.ts';
import { createApiKey } from '#src/accounts/api-keys.ts';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { explainNoSeat } from '#src/billing/plans.ts';
import { parseConfig } from '#src/platform/config.ts';
import { type Database, overPglite } from '#src/platform/database.ts';
import { createMetrics } from '#src/platform/metrics.ts';
import { NO_TRACING } from '#src/platform/tracing.ts';
import { openPglite } from '#src/platform/pglite.ts';
import type { Services } from '#src/services.ts';
import type { Role } from '#src/tables/accounts.ts';
import { templateSnapshot } from '#test/support/database-template.ts';

export const BOOTSTRAP_KEY = 'bootstrap-key-for-tests-0123456789';

let template: Promise<Blob> | undefined;

/** An in-memory database with the schema and no rows. */
export async function openTestDatabase(): Promise<Database> {
  return overPglite(await openTestPglite()).db;
}

/** The same database without Kysely. */
export async function openTestPglite(): Promise<PGlite> {
  template ??= templateSnapshot();
  return openPglite(null, await template);
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

/** A listening API over `routes`, with an in-memory database and a working queue. */
export async function openTestApi(
  routes: readonly Route[],
  {
    settings = {},
    overrides = {},
    database = null,
  }: {
    settings?: Record<string, string>;
    overrides?: Partial<Services>;
    /** A database that outlives the API; by default the API gets its own. */
    database?: Database | null;
  } = {},
): Promise<TestApi> {
  const logged: Record<string, unknown>[] = [];
  const log = pino(
    { level: 'info' },
    { write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const db = database ?? (await openTestDatabase());
  const bootstrap = await ensureBootstrap(db, { bootstrapKey: BOOTSTRAP_KEY });
  const config = parseConfig({ PORT: '0', ...settings });
  const services = {
    config,
    signIn: openSignIn({
      config,
      db,
      log,
      encryptionKey: Buffer.alloc(32),
      mail: { canSend: async () => false, send: async () => false },
      explainNoSeat,
    }),
    log,
    clock: () => new Date(),
    db,
    metrics: createMetrics(),
    tracing: NO_TRACING,
    rateLimitStore: { kind: 'memory', moments: new Map() },
    pointsAwarder: { submit: () => undefined, idle: async () => undefined },
    scrapeWatch: { stop: () => undefined },
    messageWatch: { stop: () => undefined },
    liveHub: { stop: () => undefined },
    answerRuns: { interrupt: () => undefined },
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
      if (database === null) await db.destroy();
    },
  };
}

export function bearer(key: string): { authorization: string } {
  return { authorization: `Bearer ${key}` };
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body, or `{}` when it is not JSON. */
  json: Record<string, unknown>;
}

/** Calls an API with `key`, the bootstrap key by default; an empty `key` sends none. */
export async function call(
  { url }: Pick<TestApi, 'url'>,
  path: string,
  { key = BOOTSTRAP_KEY, ...init }: RequestInit & { key?: string } = {},
): Promise<Answer> {
  const sent = new Headers(init.headers);
  if (key !== '') sent.set('authorization', `Bearer ${key}`);
  const response = await fetch(url + path, { ...init, headers: sent });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

export function post(
  api: Pick<TestApi, 'url'>,
  path: string,
  body: unknown,
  key = BOOTSTRAP_KEY,
): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return call(api, path, { method: 'POST', body: JSON.stringify(body), headers, key });
}

/** `expect.any(String)` with a type. */
export const anyString = expect.any(String) as unknown as string;
