import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { percentile } from './percentile.ts';
import { processUsage } from './process-usage.ts';
import { type BesideTimes, type Filled, fillBeside } from './scale-filling.ts';
import type { ScaleStage } from './scale-stage.ts';
import {
  countChunks,
  countFailed,
  countStaged,
  describeIndex,
  readDatabaseBytes,
  readIndexProgress,
  readStoreUsage,
  readTableSizes,
} from './stores.ts';
import { describeTimes, timeSearches } from './timed-searches.ts';

const QUESTIONS = 100;
const WARM_UP_QUESTIONS = 20;
/** Slow searches are then fewer. */
const LONGEST_SEARCHING_MS = 600_000;
/** Statistics, counts and postings are renewed in the background; what takes longer belongs to the idle service. */
const LONGEST_SETTLING_MS = 60_000;
const QUIET_MS = 3_000;
const POLL_MS = 250;
/** Tables with less are not shown. */
const SHOWN_SHARE = 0.01;
const MB = 1024 * 1024;

/** What a size of the index was measured to be. */
export interface Mark {
  chunks: number;
  filled: Filled;
  /** Of a bare COPY right before the stretch. */
  copyDocumentsPerSecond: number;
  idle: BesideTimes;
  indexWhenIdle: string;
  /** Vectors of the large workspace that are not in the index. */
  staged: number;
  busy: BesideTimes;
  busyDocumentsPerSecond: number;
  memory: Record<string, number>;
  databaseBytes: number;
}

/** Measures the stage as it is after a stretch. It indexes more documents while it searches. */
export async function measureMark(
  stage: ScaleStage,
  filled: Filled,
  copyDocumentsPerSecond: number,
): Promise<Mark> {
  const { stores } = stage;
  const failed = await countFailed(stores);
  if (failed > 0) throw new Error(`${failed} documents failed.`);
  await settle(stage);
  const chunks = await countChunks(stores);
  await printSizes(stage, chunks);
  const databaseBytes = await readDatabaseBytes(stores);
  const indexWhenIdle = describeIndex(await readIndexProgress(stores));
  const staged = await countStaged(stores);
  await warmUp(stage);
  const idle = await searchBoth(stage);
  let busy: BesideTimes = { large: [], small: [] };
  const busyDocumentsPerSecond = await fillBeside(stage, async () => {
    await warmUp(stage);
    busy = await searchBoth(stage);
  });
  return {
    chunks,
    filled,
    copyDocumentsPerSecond,
    idle,
    indexWhenIdle,
    staged,
    busy,
    busyDocumentsPerSecond,
    memory: await readMemory(stage),
    databaseBytes,
  };
}

/** A column for each mark, all beside the first. */
export function printMarks(marks: readonly Mark[]): void {
  const [first] = marks;
  if (first === undefined) return;
  const columns = marks.map((mark) => [`${mark.chunks} chunks`, columnOf(mark, first)] as const);
  const names = Object.keys(columnOf(first, first));
  console.table(
    Object.fromEntries(
      names.map((name) => [
        name,
        Object.fromEntries(columns.map(([title, column]) => [title, column[name] ?? ''])),
      ]),
    ),
  );
}

function columnOf(mark: Mark, first: Mark): Record<string, string | number> {
  const { filled, idle, busy, chunks, copyDocumentsPerSecond } = mark;
  const { besideBuild, seconds, documents } = filled;
  const pace = documents / seconds;
  const cpuMs = (cpuSeconds: number) => rounded((1_000 * cpuSeconds) / documents);
  return {
    'documents of the stretch': documents,
    'documents/s': Math.round(pace),
    'chunks/s': Math.round(filled.chunks / seconds),
    'documents/s, of the first stretch': rounded(
      pace / (first.filled.documents / first.filled.seconds),
    ),
    'documents/s, of raw COPY': rounded(pace / copyDocumentsPerSecond),
    'Millrace, processor ms a document': cpuMs(filled.cpuSeconds),
    'Postgres, processor ms a document': cpuMs(filled.databaseCpuSeconds),
    'idle, the vector index is': mark.indexWhenIdle,
    'idle, vectors of the large one not in it': mark.staged,
    'idle, large, p50 / p95 ms': describeTimes(idle.large),
    'idle, small, p50 / p95 ms': describeTimes(idle.small),
    'idle, large, p95 of the first mark': ofFirst(idle.large, first.idle.large),
    'ingesting, large, p50 / p95 ms': describeTimes(busy.large),
    'ingesting, small, p50 / p95 ms': describeTimes(busy.small),
    'ingesting, large, p95 of idle': ofFirst(busy.large, idle.large),
    'ingesting, small, p95 of idle': ofFirst(busy.small, idle.small),
    'ingesting meanwhile, documents/s': Math.round(mark.busyDocumentsPerSecond),
    'ingesting and building, large, p50 / p95 ms': describeTimes(besideBuild.large),
    'ingesting and building, small, p50 / p95 ms': describeTimes(besideBuild.small),
    ...mark.memory,
    'database, MB': Math.round(mark.databaseBytes / MB),
    'database, bytes a chunk': Math.round(mark.databaseBytes / chunks),
  };
}

/** Asks each workspace questions that fill caches. */
export async function warmUp({ large, small, ask, signal }: ScaleStage): Promise<void> {
  for (const workspace of [large, small]) {
    await timeSearches(workspace, ask(WARM_UP_QUESTIONS), signal);
  }
}

/** In turns. @param isEnough ends it before the last question */
export async function searchBoth(
  { large, small, ask, signal }: ScaleStage,
  isEnough: () => boolean = () => false,
  questions: number = QUESTIONS,
): Promise<BesideTimes> {
  const startedMs = performance.now();
  const isOver = () => isEnough() || performance.now() - startedMs > LONGEST_SEARCHING_MS;
  const times: BesideTimes = { large: [], small: [] };
  for (const question of ask(questions)) {
    times.large.push(...(await timeSearches(large, [question], signal, isOver)));
    times.small.push(...(await timeSearches(small, [question], signal, isOver)));
  }
  return times;
}

/** Waits until the database has had nothing to do for a while. */
async function settle({ stores: { db }, signal }: ScaleStage): Promise<void> {
  const startedMs = performance.now();
  let quietMs = startedMs;
  while (performance.now() - startedMs < LONGEST_SETTLING_MS) {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'active'
        and backend_type = 'client backend' limit 1`.execute(db);
    if (rows.length > 0) quietMs = performance.now();
    if (performance.now() - quietMs >= QUIET_MS) return;
    await wait(POLL_MS, undefined, { signal });
  }
}

async function readMemory({ target, stores, feeder }: ScaleStage): Promise<Record<string, number>> {
  const [millrace, pushing, usage] = await Promise.all([
    target.usage(),
    processUsage(feeder.pid),
    readStoreUsage(stores),
  ]);
  return {
    'Millrace, RSS MB': Math.round(millrace.rssMb),
    'Millrace, peak RSS MB': Math.round(millrace.peakRssMb),
    'Postgres without shared buffers, MB': Math.round(usage.postgresMb),
    'Redis, MB': rounded(usage.redisMb),
    'bench and its pushing process, RSS MB': Math.round(
      process.memoryUsage.rss() / MB + pushing.rssMb,
    ),
  };
}

async function printSizes({ stores }: ScaleStage, chunks: number): Promise<void> {
  const least = SHOWN_SHARE * (await readDatabaseBytes(stores));
  const sizes = await readTableSizes(stores, least);
  const bytes = (value: number) => Math.round(value / chunks);
  console.log(`${chunks} chunks, bytes a chunk`);
  console.table(
    Object.fromEntries(
      [...sizes].map(([name, { tableBytes, indexBytes, deadRows }]) => [
        name,
        {
          table: bytes(tableBytes),
          indexes: bytes(indexBytes),
          together: bytes(tableBytes + indexBytes),
          'dead rows': deadRows,
        },
      ]),
    ),
  );
}

function ofFirst(times: readonly number[], first: readonly number[]): number {
  return rounded(percentile(times, 0.95) / percentile(first, 0.95));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
