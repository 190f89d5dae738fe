import { QUEUES } from '#queues/index.ts';
import type { WorkFigures } from '#src/platform/work-figures.ts';
import type { RunningJob } from '#src/tables/operations.ts';
import { queueNamed } from './jobs.ts';
import { type Alarm, openAlarms } from './alarms.ts';
import { countFailedJobs, listFailedJobs, summarizeFailedJobs } from './failed-jobs.ts';
import {
  countFailures,
  type FailureSummary,
  isFailingQueue,
  summarizeFailures,
} from './failures.ts';
import { quantilesOf } from './histogram.ts';
import type { OperationsServices } from './operations-services.ts';
import { listPauses, type Pause } from './pauses.ts';
import { queueHistory } from './queue-history.ts';
import { queueWork } from './queue-work.ts';
import { beginOf, type Range } from './range.ts';
import { type HistoryPoint, readHours, readMinutes } from './read-history.ts';
import { listProcesses, servingOf, type WorkerProcess } from './worker-processes.ts';

const MINUTE_MS = 60_000;
/** Minutes are written up to a beat after they are over. */
const WRITTEN_MS = 12_000;
const SHOWN_MINUTES = 60;
const MAX_JOBS_SHOWN = 50;

type BoardServices = Pick<OperationsServices, 'clock' | 'db' | 'producer'>;

/** A queue as operators see it. */
export interface QueueEntry {
  name: string;
  work: WorkFigures;
  failed: number;
  perMinute: number;
  failuresPerMinute: number;
  waitMs: { p50: number; p95: number } | null;
  runMs: { p50: number; p95: number } | null;
  workers: number;
  paused: Pause | null;
  alarms: Alarm[];
  /** The last full hour, oldest first. */
  minutes: { finished: number; failed: number }[];
}

/** Every queue, in the order of the list. */
export async function listQueues(
  services: BoardServices,
  range: Range,
): Promise<{ at: Date; queues: QueueEntry[] }> {
  const now = services.clock();
  const facts = await readFacts(services, { range, now, queue: null });
  return { at: now, queues: facts.work.map((work) => entryOf(work, facts)) };
}

/** One queue with its history and the jobs that run. @throws Problem NOT_FOUND */
export async function findQueue(services: BoardServices, name: string, range: Range) {
  queueNamed(name);
  const now = services.clock();
  const facts = await readFacts(services, { range, now, queue: name });
  const [work] = facts.work;
  if (!work) throw new Error(`${name} has no entry.`);
  return {
    at: now,
    entry: entryOf(work, facts),
    history: await queueHistory(services, name, range),
    jobs: jobsOf(facts.processes, name),
  };
}

/** Failed jobs read per queue: enough to find the main cause. */
const MAX_SUMMARIZED = 100;

/** Summarizes the failures of each queue that has any. */
export async function summarizeBoard(
  services: Pick<OperationsServices, 'db' | 'producer'>,
  entries: readonly QueueEntry[],
  since: Date,
): Promise<ReadonlyMap<string, FailureSummary>> {
  const found = new Map<string, FailureSummary>();
  for (const { name, failed } of entries) {
    const queue = QUEUES.find((one) => one.name === name);
    if (failed === 0 || queue === undefined) continue;
    const summary = isFailingQueue(name)
      ? await summarizeFailures(services.db, name, since)
      : summarizeFailedJobs(await listFailedJobs(services, queue, since, MAX_SUMMARIZED));
    if (summary !== null) found.set(name, summary);
  }
  return found;
}

interface BoardFacts {
  now: Date;
  work: WorkFigures[];
  failed: ReadonlyMap<string, number>;
  processes: WorkerProcess[];
  pauses: Pause[];
  alarms: Alarm[];
  /** The last hour, by minute. */
  minutes: HistoryPoint[];
  /** The whole range. */
  whole: HistoryPoint[];
}

/** @param asked `queue` has its name when its own work and history are enough; null for all */
async function readFacts(
  services: BoardServices,
  asked: { range: Range; now: Date; queue: string | null },
): Promise<BoardFacts> {
  const { db } = services;
  const { range, now, queue } = asked;
  const hourAgo = new Date(lastMinuteEnd(now) - SHOWN_MINUTES * MINUTE_MS);
  const minutes = await readMinutes(db, { queue, from: hourAgo, to: now, stepSeconds: 60 });
  const earlier =
    range === 'hour' ? [] : await readHours(db, { queue, from: beginOf(range, now), to: hourAgo });
  return {
    now,
    work: await queueWork(services, queue),
    failed: await countBoardFailures(services, beginOf(range, now), queue),
    processes: await listProcesses(db, now),
    pauses: await listPauses(db),
    alarms: await openAlarms(db),
    minutes,
    whole: [...earlier, ...minutes],
  };
}

/** Counts failed rows, or failed jobs for queues without rows. With a queue given, only its own jobs are counted. */
async function countBoardFailures(
  services: Pick<OperationsServices, 'db' | 'producer'>,
  since: Date,
  only: string | null,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map(await countFailures(services.db, since));
  for (const queue of QUEUES) {
    if (isFailingQueue(queue.name) || (only !== null && only !== queue.name)) continue;
    counts.set(queue.name, await countFailedJobs(services, queue, since));
  }
  return counts;
}

function entryOf(work: WorkFigures, facts: BoardFacts): QueueEntry {
  const { queue: name } = work;
  const own = <Row extends { queue: string }>(rows: readonly Row[]): Row[] =>
    rows.filter(({ queue }) => queue === name);
  const whole = own(facts.whole);
  const minutes = minutesOf(own(facts.minutes), facts.now);
  const last = minutes.at(-1) ?? NOTHING;
  return {
    name,
    work,
    failed: facts.failed.get(name) ?? 0,
    perMinute: last.finished,
    failuresPerMinute: last.failed,
    waitMs: quantilesOf(addUp(whole.map(({ waits }) => waits))),
    runMs: quantilesOf(addUp(whole.map(({ runs }) => runs))),
    workers: servingOf(facts.processes, name).workers,
    paused: own(facts.pauses)[0] ?? null,
    alarms: own(facts.alarms),
    minutes,
  };
}

const NOTHING = { finished: 0, failed: 0 };

function minutesOf(points: readonly HistoryPoint[], now: Date): QueueEntry['minutes'] {
  const byTime = new Map(points.map((point) => [point.at.getTime(), point]));
  const end = lastMinuteEnd(now);
  return Array.from({ length: SHOWN_MINUTES }, (_, index) => {
    const point = byTime.get(end - (SHOWN_MINUTES - index) * MINUTE_MS);
    return point ? { finished: point.finished, failed: point.failed + point.retried } : NOTHING;
  });
}

/** The end of the last minute that all processes have written. */
function lastMinuteEnd(now: Date): number {
  return Math.floor((now.getTime() - WRITTEN_MS) / MINUTE_MS) * MINUTE_MS;
}

function addUp(histograms: readonly (readonly number[])[]): number[] {
  const sum: number[] = [];
  for (const histogram of histograms) {
    for (const [index, count] of histogram.entries()) sum[index] = (sum[index] ?? 0) + count;
  }
  return sum;
}

function jobsOf(
  processes: readonly WorkerProcess[],
  queue: string,
): (RunningJob & { worker_id: string })[] {
  return processes
    .filter((process) => process.isAlive)
    .flatMap(({ id, jobs }) => jobs.map((job) => ({ ...job, worker_id: id })))
    .filter((job) => job.queue === queue)
    .toSorted((a, b) => a.since.localeCompare(b.since))
    .slice(0, MAX_JOBS_SHOWN);
}
