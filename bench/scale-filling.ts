import { setTimeout as wait } from 'node:timers/promises';
import type { ScaleStage } from './scale-stage.ts';
import {
  countChunks,
  countPending,
  describeIndex,
  readIndexProgress,
  readStoreUsage,
} from './stores.ts';
import { describeTimes, timeSearches } from './timed-searches.ts';

/** Enough that no worker waits for documents, little enough that a fill ends soon after its last one is sent. */
const MOST_WAITING = 3_000;
const POLL_MS = 100;
const PROGRESS_EVERY_MS = 30_000;
const PROGRESS_QUESTIONS = 10;
/** A fill that indexes nothing for so long is stuck. */
const STUCK_MS = 600_000;

/** Milliseconds of searches that ran beside a fill. */
export interface BesideTimes {
  large: number[];
  small: number[];
}

export interface Filled {
  documents: number;
  chunks: number;
  seconds: number;
  /** Processor time of Millrace, and of the sessions of its database. */
  cpuSeconds: number;
  databaseCpuSeconds: number;
  /** While the vector index was being built. */
  besideBuild: BesideTimes;
}

/**
 * Pushes so many documents at full speed and waits until all are indexed, with a line and a few searches from time to
 * time. After `deadlineSeconds` of the stage it sends no more.
 */
export async function fill(
  stage: ScaleStage,
  documents: number,
  deadlineSeconds: number,
): Promise<Filled> {
  const { stores, feeder } = stage;
  const before = await cpuOf(stage);
  const chunksBefore = await countChunks(stores);
  const grantedBefore = feeder.granted;
  const startedMs = performance.now();
  const besideBuild: BesideTimes = { large: [], small: [] };
  const isAllSent = () =>
    feeder.granted - grantedBefore >= documents || stage.seconds() > deadlineSeconds;
  await beside(
    (isDone) => reportProgress(stage, isDone, besideBuild),
    () => feed(stage, () => grantedBefore + documents - feeder.granted, isAllSent),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  const after = await cpuOf(stage);
  return {
    documents: feeder.granted - grantedBefore,
    chunks: (await countChunks(stores)) - chunksBefore,
    seconds,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    databaseCpuSeconds: after.databaseCpuSeconds - before.databaseCpuSeconds,
    besideBuild,
  };
}

async function cpuOf({ target }: ScaleStage) {
  const { cpuSeconds } = await target.usage();
  return { cpuSeconds, databaseCpuSeconds: await target.databaseCpuSeconds() };
}

/** Pushes at full speed for as long as `work` takes, then waits until all is indexed. @returns documents a second */
export async function fillBeside(stage: ScaleStage, work: () => Promise<void>): Promise<number> {
  const { feeder } = stage;
  const grantedBefore = feeder.granted;
  const startedMs = performance.now();
  let isOver = false;
  await beside(
    () =>
      feed(
        stage,
        () => MOST_WAITING,
        () => isOver,
      ),
    async () => {
      await work().finally(() => {
        isOver = true;
      });
    },
  );
  return ((feeder.granted - grantedBefore) * 1_000) / (performance.now() - startedMs);
}

/** Runs both; the first is told when the second is done. */
async function beside(
  other: (isDone: () => boolean) => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  await Promise.all([other(() => isDone), working]);
}

/** Keeps documents waiting until `isAllSent`, then until none waits. */
async function feed(
  { stores, feeder, signal }: ScaleStage,
  documentsLeft: () => number,
  isAllSent: () => boolean,
): Promise<void> {
  let indexed = -1;
  let movedMs = performance.now();
  for (;;) {
    feeder.assertRunning();
    // Read before the rows are counted: what is acknowledged in between would be in neither number.
    const unacknowledged = feeder.granted - feeder.accepted;
    const waiting = unacknowledged + (await countPending(stores));
    if (isAllSent()) {
      if (waiting === 0) return;
    } else {
      const room = Math.min(MOST_WAITING - waiting, documentsLeft());
      if (room > 0) feeder.grant(room);
    }
    if (feeder.granted - waiting > indexed) {
      indexed = feeder.granted - waiting;
      movedMs = performance.now();
    }
    if (performance.now() - movedMs > STUCK_MS) throw new Error(`${waiting} documents are stuck.`);
    await wait(POLL_MS, undefined, { signal });
  }
}

async function reportProgress(
  stage: ScaleStage,
  isDone: () => boolean,
  besideBuild: BesideTimes,
): Promise<void> {
  const { target, stores, feeder, signal } = stage;
  let reported = { documents: feeder.accepted, ms: performance.now() };
  while (!isDone()) {
    await wait(POLL_MS, undefined, { signal });
    const ms = performance.now();
    if (isDone() || ms - reported.ms < PROGRESS_EVERY_MS) continue;
    const documents = feeder.accepted;
    const pace = ((documents - reported.documents) * 1_000) / (ms - reported.ms);
    reported = { documents, ms };
    const index = await readIndexProgress(stores);
    const large = await timeSearches(stage.large, stage.ask(PROGRESS_QUESTIONS), signal, isDone);
    const small = await timeSearches(stage.small, stage.ask(PROGRESS_QUESTIONS), signal, isDone);
    if (index.isBeingBuilt) {
      besideBuild.large.push(...large);
      besideBuild.small.push(...small);
    }
    const { rssMb } = await target.usage();
    const { postgresMb, redisMb } = await readStoreUsage(stores);
    console.log(
      [
        `${Math.round(stage.seconds())} s: ${documents} documents, ${await countChunks(stores)} chunks`,
        `${Math.round(pace)} accepted/s`,
        `search p50 / p95 ms, large ${describeTimes(large)}, small ${describeTimes(small)}`,
        `vector index ${describeIndex(index)}`,
        `MB of Millrace ${Math.round(rssMb)}, Postgres ${Math.round(postgresMb)}, Redis ${Math.round(redisMb)}, bench ${Math.round(process.memoryUsage.rss() / 2 ** 20)}`,
      ].join('; '),
    );
  }
}
