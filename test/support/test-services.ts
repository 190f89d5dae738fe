import { sql } from 'kysely';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import { openServices } from '#src/open-services.ts';
import { parseConfig } from '#src/platform/config.ts';
import type { Services } from '#src/services.ts';
import { openTestEnvironment } from './test-environment.ts';
import { migrateTestDatabase } from './test-millrace.ts';

/**
 * The services of a process over an empty database, without an API and workers: the test calls the functions itself.
 */
export interface TestServices extends AsyncDisposable {
  readonly services: Services;
  readonly workspaceId: WorkspaceId;
  /** Milliseconds of all waits. Nothing sleeps; the clock advances. */
  readonly waits: number[];
  /** Advances the clock of the services. */
  advance(ms: number): void;
}

export async function openTestServices(
  overrides: Record<string, string> = {},
): Promise<TestServices> {
  await using opened = new AsyncDisposableStack();
  const environment = opened.use(
    await openTestEnvironment({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', ...overrides }),
  );
  await migrateTestDatabase(environment.settings);
  const real = opened.use(await openServices(parseConfig(environment.settings)));
  const { workspaceId } = await ensureBootstrap(real.db, { bootstrapKey: null });
  const waits: number[] = [];
  let skippedMs = 0;
  const services: Services = {
    ...real,
    clock: () => new Date(Date.now() + skippedMs),
    async wait(ms, signal) {
      signal.throwIfAborted();
      waits.push(ms);
      skippedMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    },
  };
  const resources = opened.move();
  return {
    services,
    workspaceId,
    waits,
    advance: (ms) => {
      skippedMs += ms;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A linked pair that is due now, without a check of its source. */
export async function insertLinkedPair(
  { services, workspaceId }: TestServices,
  pair: {
    source: string;
    settings: Record<string, unknown>;
    credential: Record<string, unknown> | null;
    refreshSeconds?: number | null;
    pruneSeconds?: number | null;
  },
): Promise<CcPairId> {
  const { db, secrets, clock } = services;
  const name = `${pair.source} ${Math.random().toString(36).slice(2)}`;
  const { rows: connectors } = await sql<{ id: number }>`
    insert into connector (workspace_id, name, source, kind, input_type, access_type, settings,
      refresh_freq, prune_freq)
    values (${workspaceId}, ${name}, ${pair.source}, ${pair.source}, 'poll', 'public',
      ${JSON.stringify(pair.settings)}, ${pair.refreshSeconds ?? null}, ${pair.pruneSeconds ?? null})
    returning id`.execute(db);
  const credentialId = pair.credential === null ? null : await insertCredential();
  const { rows } = await sql<{ id: CcPairId }>`
    insert into cc_pair (workspace_id, name, source, connector_id, credential_id, status, next_run_at)
    values (${workspaceId}, ${name}, ${pair.source}, ${connectors[0]?.id}, ${credentialId},
      'SCHEDULED', ${clock()})
    returning id`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The pair was not inserted.');
  return row.id;

  async function insertCredential(): Promise<number> {
    const { rows: made } = await sql<{ id: number }>`
      insert into credential (workspace_id, name, source, kind, secret, admin_public)
      values (${workspaceId}, ${name}, ${pair.source}, ${pair.source}, '', true)
      returning id`.execute(db);
    const id = made[0]?.id ?? 0;
    const secret = secrets.seal(JSON.stringify(pair.credential), `credential:${id}`);
    await sql`update credential set secret = ${secret} where id = ${id}`.execute(db);
    return id;
  }
}
