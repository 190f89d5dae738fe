import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { readVectorIndex } from '#src/documents/vector-index.ts';
import type { Database } from '#src/platform/database.ts';
import { sqlStateOf } from '#src/platform/postgres.ts';
import type { BesideTimes } from './scale-filling.ts';
import { searchBoth, warmUp } from './scale-mark.ts';
import type { ScaleStage } from './scale-stage.ts';
import {
  countChunks,
  describeIndex,
  hasPromoted,
  type IndexProgress,
  readDatabaseBytes,
  readIndexProgress,
} from './stores.ts';
import { describeTimes } from './timed-searches.ts';

/** For each of the steps. */
const LONGEST_MS = 45 * 60_000;
/** `vector-promote` begins every 30 seconds. */
const LONGEST_START_MS = 120_000;
/** The default of `VECTOR_PROMOTE_THRESHOLD`. */
const MOST_UNPROMOTED = 100_000;
const POLL_MS = 200;
const PROGRESS_EVERY_MS = 30_000;
const PROGRESS_QUESTIONS = 10;
const QUERY_CANCELED = '57014';
const MB = 1024 * 1024;

type Rows = Record<string, string | number>;

/** What is done to a full index seldom: restart, build of the vector index, vacuum, backup. Prints each as it is done. */
export async function measureUpkeep(stage: ScaleStage): Promise<void> {
  const rows: Record<string, { is: string | number }> = {};
  // A restart would end a build that is under way.
  await untilBuilt(stage);
  for (const step of [restart, buildIndex, vacuum, dump]) {
    for (const [name, is] of Object.entries(await step(stage))) {
      console.log(`${name}: ${is}`);
      rows[name] = { is };
    }
  }
  console.table(rows);
}

/** With a threshold that the large workspace is above, so that the next run of `vector-promote` builds the index. */
async function restart({ target, stores }: ScaleStage): Promise<Rows> {
  const quarter = Math.floor((await countChunks(stores)) / 4);
  const threshold = String(Math.min(quarter, MOST_UNPROMOTED));
  const { stopSeconds, readySeconds } = await target.restart({
    VECTOR_PROMOTE_THRESHOLD: threshold,
  });
  return {
    'restart, until it has stopped, s': rounded(stopSeconds),
    'restart, from its start until /ready, s': rounded(readySeconds),
  };
}

/** An index that is there already is dropped first, so that the build is measured over all its rows. */
async function buildIndex(stage: ScaleStage): Promise<Rows> {
  const { stores, signal } = stage;
  const { segments } = await readVectorIndex(stores.db);
  if (segments.length > 0) {
    console.log(
      `${segments.length} segments were built on the way, and are dropped to be built anew as one.`,
    );
    const names = segments.map(({ name }) => sql.id(name));
    await unlimited(stores.db, signal, sql`drop index ${sql.join(names)}`);
  }
  // The process has just been started. The build may begin meanwhile.
  const [startedMs] = await Promise.all([untilBegun(stage, segments.length === 0), warmUp(stage)]);
  if (startedMs === null) return { 'vector-promote': 'has not begun' };
  let isOver = false;
  const building = untilBuilt(stage).finally(() => {
    isOver = true;
  });
  const [progress, during] = await Promise.all([
    building.then((reached) => ({ reached, seconds: rounded(secondsSince(startedMs)) })),
    searchThroughout(stage, () => isOver),
  ]);
  const { reached, seconds } = progress;
  return {
    'vector-promote until the index serves, s':
      reached.segments > 0 ? seconds : `${describeIndex(reached)} after ${seconds}`,
    ...rowsOf('while it is built', during),
    ...rowsOf('afterwards', await searchBoth(stage)),
  };
}

/** First as at every mark, then a few questions from time to time: a build may change its pace. */
async function searchThroughout(stage: ScaleStage, isOver: () => boolean): Promise<BesideTimes> {
  const { large, small } = await searchBoth(stage, isOver);
  let reportedMs = performance.now();
  while (!isOver()) {
    await wait(POLL_MS, undefined, { signal: stage.signal });
    if (performance.now() - reportedMs < PROGRESS_EVERY_MS) continue;
    reportedMs = performance.now();
    const some = await searchBoth(stage, isOver, PROGRESS_QUESTIONS);
    large.push(...some.large);
    small.push(...some.small);
    console.log(
      `${Math.round(stage.seconds())} s: search p50 / p95 ms, large ${describeTimes(some.large)}, small ${describeTimes(some.small)}`,
    );
  }
  return { large, small };
}

function rowsOf(when: string, { large, small }: BesideTimes): Rows {
  return {
    [`${when}, large, p50 / p95 ms`]: `${describeTimes(large)} (${large.length} searches)`,
    [`${when}, small, p50 / p95 ms`]: `${describeTimes(small)} (${small.length} searches)`,
  };
}

/**
 * @param marksRows the build begins with marking rows, of which none is marked yet
 * @returns when it began; null when it does not
 */
async function untilBegun(
  { stores, signal }: ScaleStage,
  marksRows: boolean,
): Promise<number | null> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < LONGEST_START_MS) {
    const { segments, isBeingBuilt } = await readIndexProgress(stores);
    if (segments > 0 || isBeingBuilt || (marksRows && (await hasPromoted(stores)))) {
      return performance.now();
    }
    await wait(POLL_MS, undefined, { signal });
  }
  return null;
}

/** Until a build that has begun is over, or takes too long. */
async function untilBuilt({ stores, signal, seconds }: ScaleStage): Promise<IndexProgress> {
  const startedMs = performance.now();
  let reportedMs = startedMs;
  for (;;) {
    const progress = await readIndexProgress(stores);
    const isUnderWay =
      progress.isBeingBuilt || (progress.segments === 0 && (await hasPromoted(stores)));
    const nowMs = performance.now();
    if (!isUnderWay || nowMs - startedMs > LONGEST_MS) return progress;
    if (nowMs - reportedMs > PROGRESS_EVERY_MS) {
      reportedMs = nowMs;
      console.log(`${Math.round(seconds())} s: vector index ${describeIndex(progress)}`);
    }
    await wait(POLL_MS, undefined, { signal });
  }
}

async function vacuum({ stores, signal }: ScaleStage): Promise<Rows> {
  const before = await readDatabaseBytes(stores);
  const startedMs = performance.now();
  const isDone = await unlimited(stores.db, signal, sql`vacuum (analyze)`);
  const seconds = rounded(secondsSince(startedMs));
  return {
    'vacuum (analyze), s': isDone ? seconds : `not done after ${seconds}`,
    'database before and after it, MB': `${Math.round(before / MB)}, ${Math.round((await readDatabaseBytes(stores)) / MB)}`,
  };
}

/** Where there is a `pg_dump`. */
async function dump({ target, signal }: ScaleStage): Promise<Rows> {
  const url = new URL(target.databaseUrl ?? '');
  const startedMs = performance.now();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
  const child = spawn('pg_dump', ['--format=custom', '--compress=1'], {
    env: {
      ...process.env,
      PGHOST: url.hostname,
      PGPORT: url.port || '5432',
      PGUSER: decodeURIComponent(url.username),
      PGPASSWORD: decodeURIComponent(url.password),
      PGDATABASE: url.pathname.slice(1),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal: limit,
  });
  let bytes = 0;
  child.stdout.on('data', (part: Buffer) => {
    bytes += part.length;
  });
  const failure = await once(child, 'close').then(
    ([code]: unknown[]) => (code === 0 ? null : `ended with ${String(code)}`),
    (error: Error) => error.message,
  );
  signal.throwIfAborted();
  const seconds = rounded(secondsSince(startedMs));
  return {
    'backup (pg_dump, compressed), s': failure === null ? seconds : `${failure}, after ${seconds}`,
    'backup, MB': Math.round(bytes / MB),
  };
}

/** Runs a statement for as long as a step may take. @returns whether it was done in that time */
async function unlimited(
  db: Database,
  signal: AbortSignal,
  statement: { execute(db: Database): Promise<unknown> },
): Promise<boolean> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
    const cancel = () => {
      sql`select pg_cancel_backend(${rows[0]?.pid})`.execute(db).catch(() => null);
    };
    signal.addEventListener('abort', cancel, { once: true });
    await sql`set statement_timeout = ${sql.lit(LONGEST_MS)}`.execute(connection);
    try {
      await statement.execute(connection);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (sqlStateOf(error) === QUERY_CANCELED) return false;
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      await sql`reset statement_timeout`.execute(connection);
    }
  });
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1_000;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
