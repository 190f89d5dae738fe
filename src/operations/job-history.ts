import { randomUUID } from 'node:crypto';
import type { WorkTally } from '#src/platform/work-tally.ts';
import type { RunningJob } from '#src/tables/operations.ts';
import { type Histogram, observe } from './histogram.ts';
import { subjectsOf } from './job-subjects.ts';

const MINUTE_MS = 60_000;
/** While the database is away, so many minutes of a queue wait to be written; older ones are dropped. */
const MAX_MINUTES = 60;

/** A job that has just been taken. */
export interface TakenJob {
  queue: string;
  jobId: string;
  /** 1 for the first attempt. */
  attempt: number;
  requestId: string | null;
  payload: unknown;
  /** When it could have been taken; null for a retry. */
  dueAt: Date | null;
}

/** What a queue did in one minute, in this process. */
export interface QueueMinute {
  minute: Date;
  queue: string;
  finished: number;
  failed: number;
  retried: number;
  waits: Histogram;
  runs: Histogram;
}

/** What the workers of this process do and did. Nothing here touches the database. */
export interface JobHistory extends WorkTally {
  /** Names this process in the rows. */
  readonly processId: string;
  /** Call the result when the attempt is over; null when it was interrupted and does not count. */
  begin(job: TakenJob): (end: 'done' | 'retried' | 'failed' | null) => void;
  /** Active jobs by queue. */
  active(): ReadonlyMap<string, number>;
  /** Those that have run longest. */
  running(limit: number): RunningJob[];
  /** Takes out what is to be written: all minutes that are over, or all there are. */
  take(which: 'over' | 'all'): QueueMinute[];
  /** Puts back what could not be written. */
  giveBack(minutes: readonly QueueMinute[]): void;
}

/**
 * @param countedByRows queues whose handlers count attempts at rows themselves, since one of their jobs makes several
 * @param alsoCount told of every attempt that is counted
 */
export function createJobHistory(
  clock: () => Date,
  countedByRows: ReadonlySet<string>,
  alsoCount: WorkTally['count'] = () => {},
): JobHistory {
  const minutes = new Map<string, QueueMinute>();
  const jobs = new Set<TakenJob & { since: Date }>();

  const count: WorkTally['count'] = (queue, end, { waitMs, runMs }) => {
    const at = minuteOf(clock());
    const entry = entryOf(minutes, queue, at);
    entry.finished += 1;
    if (end !== 'done') entry[end] += 1;
    if (waitMs !== null) observe(entry.waits, waitMs);
    observe(entry.runs, runMs);
    alsoCount(queue, end, { waitMs, runMs });
  };

  return {
    processId: randomUUID(),
    count,
    begin(job) {
      const since = clock();
      const taken = { ...job, since };
      const startedAt = performance.now();
      jobs.add(taken);
      return (end) => {
        jobs.delete(taken);
        if (end === null || countedByRows.has(job.queue)) return;
        const waitMs = job.dueAt === null ? null : since.getTime() - job.dueAt.getTime();
        count(job.queue, end, { waitMs, runMs: performance.now() - startedAt });
      };
    },
    active() {
      const active = new Map<string, number>();
      for (const { queue } of jobs) active.set(queue, (active.get(queue) ?? 0) + 1);
      return active;
    },
    // A set keeps the order in which the jobs were taken.
    running: (limit) => [...jobs.values()].slice(0, limit).map(shownJob),
    take(which) {
      const now = minuteOf(clock()).getTime();
      const taken = [...minutes].filter(
        ([, entry]) => which === 'all' || entry.minute.getTime() < now,
      );
      for (const [key] of taken) minutes.delete(key);
      return taken.map(([, entry]) => entry);
    },
    giveBack(entries) {
      for (const entry of entries.slice(-MAX_MINUTES * 16)) minutes.set(keyOf(entry), entry);
    },
  };
}

function entryOf(minutes: Map<string, QueueMinute>, queue: string, minute: Date): QueueMinute {
  const key = keyOf({ queue, minute });
  const known = minutes.get(key);
  if (known) return known;
  const entry = { minute, queue, finished: 0, failed: 0, retried: 0, waits: [], runs: [] };
  minutes.set(key, entry);
  return entry;
}

function keyOf({ queue, minute }: Pick<QueueMinute, 'queue' | 'minute'>): string {
  return `${minute.getTime()} ${queue}`;
}

export function minuteOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS);
}

function shownJob(job: TakenJob & { since: Date }): RunningJob {
  return {
    queue: job.queue,
    job_id: job.jobId,
    attempt: job.attempt,
    since: job.since.toISOString(),
    request_id: job.requestId,
    subjects: subjectsOf(job.payload),
  };
}
