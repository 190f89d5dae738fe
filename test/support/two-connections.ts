import { type ControlledTransaction, sql } from 'kysely';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { openServices } from '#src/open-services.ts';
import { parseConfig } from '#src/platform/config.ts';
import { type Database, openDatabase } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import type { Services } from '#src/services.ts';
import type { Tables } from '#src/tables/tables.ts';
import { openTestEnvironment } from './test-environment.ts';
import { migrateTestDatabase } from './test-millrace.ts';

type Transaction = ControlledTransaction<Tables>;

/** An open transaction on another connection. */
interface HeldTransaction<Result> {
  readonly trx: Transaction;
  readonly result: Result;
  readonly commit: () => Promise<void>;
}

/** Does the work in a transaction on its own connection, which stays open. */
async function hold<Result>(
  db: Database,
  work: (trx: Transaction) => Promise<Result>,
): Promise<HeldTransaction<Result>> {
  const trx = await db.startTransaction().execute();
  try {
    const result = await work(trx);
    return { trx, result, commit: () => trx.commit().execute() };
  } catch (error) {
    await trx.rollback().execute();
    throw error;
  }
}

/**
 * Does the work while another transaction is open, and commits that one only afterwards.
 * @throws when the work waits for that transaction, because its `lock_timeout` ends it
 */
export async function whileLocked<Result, Done>(
  db: Database,
  held: (trx: Transaction) => Promise<Result>,
  work: (result: Result) => Promise<Done>,
): Promise<Done> {
  const { result, commit } = await hold(db, held);
  try {
    return await work(result);
  } finally {
    await commit();
  }
}

/**
 * Starts all of the work while another transaction is open, waits until each part waits for a lock, and commits.
 * @param meanwhile what the open transaction does while the others wait: it fails where they hold what it needs next
 * @throws when a part ends without having waited
 */
export async function queuedBehindLock<Done>(
  db: Database,
  held: (trx: Transaction) => Promise<unknown>,
  works: readonly (() => Promise<Done>)[],
  meanwhile: (trx: Transaction) => Promise<unknown> = () => Promise.resolve(),
): Promise<PromiseSettledResult<Done>[]> {
  const { trx, commit } = await hold(db, held);
  const ended: unknown[] = [];
  const note = (how: unknown): void => void ended.push(how);
  const running = works.map((work) => {
    const done = work();
    done.then(note, note);
    return done;
  });
  try {
    for (let waiting = 0; waiting < works.length; waiting = await countWaiting(db)) {
      if (ended.length > 0) throw notWaiting(ended, works.length);
    }
    await meanwhile(trx);
  } finally {
    await commit();
    await Promise.allSettled(running);
  }
  return Promise.allSettled(running);
}

function notWaiting(ended: readonly unknown[], count: number): Error {
  const cause = ended.find((how) => how instanceof Error);
  return new Error(`${ended.length} of ${count} did not wait for the lock.`, { cause });
}

/**
 * The same for a single piece of work.
 * @returns what it returns; throws what it throws
 */
export async function afterWaiting<Done>(
  db: Database,
  held: (trx: Transaction) => Promise<unknown>,
  work: () => Promise<Done>,
  meanwhile?: (trx: Transaction) => Promise<unknown>,
): Promise<Done> {
  const [done] = valuesOf(await queuedBehindLock(db, held, [work], meanwhile));
  // One piece of work has one result.
  return done as Done;
}

/** Number of connections to this database that are waiting for a lock. */
async function countWaiting(db: Database): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]?.waiting ?? 0;
}

/** The values of all that succeeded; a rejection fails the test. */
export function valuesOf<Done>(settled: readonly PromiseSettledResult<Done>[]): Done[] {
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** Services on Postgres with a lock timeout of ten seconds, so that an endless wait fails the test. */
export async function openImpatientServices(): Promise<
  {
    services: Services;
    workspaceId: WorkspaceId;
    databaseUrl: string;
    encryptionKey: Buffer;
  } & AsyncDisposable
> {
  await using opened = new AsyncDisposableStack();
  const { settings } = opened.use(
    await openTestEnvironment({
      STRIPE_WEBHOOK_SECRET: 'whsec_unused',
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    }),
  );
  const url = new URL(settings['DATABASE_DIRECT_URL'] ?? settings['DATABASE_URL'] ?? '');
  url.searchParams.set('options', '-c lock_timeout=10s');
  await migrateTestDatabase(settings);
  const real = opened.use(await openServices(parseConfig(settings)));
  const place = { databaseUrl: url.href, poolSize: 10, directory: null };
  const impatient = await openDatabase(place, createLog('error'));
  opened.defer(() => impatient.close());
  const { db } = impatient;
  const { workspaceId } = await ensureBootstrap(db, { bootstrapKey: null });
  const resources = opened.move();
  return {
    services: { ...real, db },
    workspaceId,
    databaseUrl: url.href,
    encryptionKey: Buffer.from(settings['ENCRYPTION_KEY'] ?? '', 'base64'),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
