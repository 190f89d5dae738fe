import { type BackoffOptions, type BulkJobOptions, Queue } from 'bullmq';
import type { QueueAccess, QueueBackend } from '#src/platform/queue-backend.ts';
import { NO_TRACING, type TraceOrigin, type Tracing } from '#src/platform/tracing.ts';
import { QUEUES } from './index.ts';
import type { AnyQueue, JobData, QueueDefinition } from './queue.ts';
import {
  findStoredJob,
  type JobNote,
  type JobState,
  listStoredJobs,
  type StoredJob,
} from './read-jobs.ts';
import { createWaitingAge } from './waiting-age.ts';

export interface EnqueueOptions {
  /** A delayed job has no key: otherwise it would swallow one that is due now. */
  delayMs?: number;
  requestId?: string | null;
  /** Lower numbers run first; 1 is the highest priority. Without a priority, jobs run in order of arrival. */
  priority?: number;
}

/** A job whose attempts are used up. */
export interface FailedJob {
  id: string;
  message: string;
  attempts: number;
  failedAt: Date;
  /** The stack of the last attempt; null when the store has none. */
  stack: string | null;
}

/** Adds work to the queues and inspects them. Every call rejects within seconds while the store is unavailable. */
export interface Producer {
  /** Resolves once the store has the job. Never await it inside a database transaction: PGlite would deadlock. */
  enqueue<P>(queue: QueueDefinition<P>, payload: P, options?: EnqueueOptions): Promise<void>;
  enqueueMany<P>(
    queue: QueueDefinition<P>,
    payloads: readonly P[],
    options?: EnqueueOptions,
  ): Promise<void>;
  /**
   * Enqueues a new job after `delayMs` that replaces the one running now. It gets the attempts that are left and no
   * key, because the running job still holds the key.
   */
  enqueueAgain<P>(
    queue: QueueDefinition<P>,
    job: JobData<P>,
    again: { delayMs: number; attempts: number },
  ): Promise<void>;
  /** Jobs by state: waiting, active, delayed, failed, completed, … */
  counts(queue: AnyQueue): Promise<Record<string, number>>;
  /**
   * How long the job at the head has been ready to run; null when none is waiting. See `createWaitingAge` for jobs that
   * were tried before.
   */
  oldestWaitingAgeMs(queue: AnyQueue): Promise<number | null>;
  /** When the schedule of a queue runs next; null when it has none. */
  nextRunAt(queue: AnyQueue): Promise<Date | null>;
  /** Failed jobs, latest first: id, reason, attempts and time. */
  failedJobs(queue: AnyQueue, limit: number): Promise<FailedJob[]>;
  /** Removes failed jobs, and returns how many. Jobs in other states stay. */
  discardFailedJobs(queue: AnyQueue, ids: readonly string[]): Promise<number>;
  /** A page of the jobs in a state, and their total. */
  listJobs(
    queue: AnyQueue,
    state: JobState,
    page: { offset: number; limit: number },
  ): Promise<{ jobs: StoredJob[]; total: number }>;
  /** A job and the notes on its failed attempts; null when the store has no job of this id. */
  findJob(queue: AnyQueue, id: string): Promise<{ job: StoredJob; notes: JobNote[] } | null>;
  /** When the latest finished job of the queue ended; null when the store has none. */
  lastFinishedAt(queue: AnyQueue): Promise<Date | null>;
  /** Makes the schedules in the store match the queue list; also restores schedules after the store was flushed. */
  syncSchedules(): Promise<void>;
  /** BullMQ's own objects, for the dashboard. */
  openQueues(): Queue[];
  /** @throws Error when the store does not answer */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Finished jobs are kept for the dashboard, limited by number and age. */
const KEEP_COMPLETED = { count: 1_000, age: 3_600 };
const KEEP_FAILED = { count: 5_000, age: 7 * 86_400 };
const MAX_STREAM_EVENTS = 1_000;
/** Notes on failed attempts per job. */
const KEEP_NOTES = 50;
const BACKOFF_JITTER = 0.5;
const MAX_SCHEDULES = 100;
const MAX_STACK = 10_000;

/** Opens every queue in the list. */
export async function openProducer(
  backend: QueueBackend,
  queues: readonly AnyQueue[] = QUEUES,
  tracing: Tracing = NO_TRACING,
): Promise<Producer> {
  const opened = new Map(
    queues.map((queue) => [queue.name, openQueue(queue, backend.forProducers)]),
  );
  for (const queue of opened.values()) queue.on('error', (error) => backend.reportError(error));
  await Promise.all([...opened.values()].map(async (queue) => queue.waitUntilReady()));
  const queueOf = ({ name }: AnyQueue): Queue => {
    const queue = opened.get(name);
    if (!queue)
      throw new Error(`Queue "${name}" is not open: add it to the list in queues/index.ts.`);
    return queue;
  };
  return {
    async enqueue(queue, payload, options = {}) {
      await sending(tracing, queue, 1, (origin) =>
        queueOf(queue).add(
          queue.name,
          jobData(payload, options, origin),
          jobOptions(queue, payload, options),
        ),
      );
    },
    async enqueueMany(queue, payloads, options = {}) {
      if (payloads.length === 0) return;
      await sending(tracing, queue, payloads.length, (origin) =>
        queueOf(queue).addBulk(
          payloads.map((payload) => ({
            name: queue.name,
            data: jobData(payload, options, origin),
            opts: jobOptions(queue, payload, options),
          })),
        ),
      );
    },
    async enqueueAgain(queue, job, { delayMs, attempts }) {
      await queueOf(queue).add(queue.name, job, {
        ...retryOptions(queue),
        attempts,
        delay: delayMs,
      });
    },
    ...storedJobCalls(queueOf),
    async syncSchedules() {
      await Promise.all(queues.map(async (queue) => syncSchedule(queueOf(queue), queue)));
    },
    openQueues: () => [...opened.values()],
    ping: async () => backend.ping(),
    async close() {
      await Promise.all([...opened.values()].map(async (queue) => queue.close()));
    },
  };
}

/** The calls that read and discard stored jobs. */
function storedJobCalls(queueOf: (queue: AnyQueue) => Queue) {
  const waitingAge = createWaitingAge();
  return {
    counts: async (queue) => queueOf(queue).getJobCounts(),
    oldestWaitingAgeMs: async (queue) => waitingAge(queueOf(queue)),
    nextRunAt: async (queue) => nextRunAt(queueOf(queue), queue.name),
    failedJobs: async (queue, limit) => failedJobs(queueOf(queue), limit),
    discardFailedJobs: async (queue, ids) => discardFailedJobs(queueOf(queue), ids),
    listJobs: async (queue, state, page) => listStoredJobs(queueOf(queue), state, page),
    findJob: async (queue, id) => findStoredJob(queueOf(queue), id),
    lastFinishedAt: async (queue) => lastFinishedAt(queueOf(queue)),
  } satisfies Partial<Producer>;
}

function openQueue(queue: AnyQueue, access: QueueAccess): Queue {
  const options = { ...access.options, streams: { events: { maxLen: MAX_STREAM_EVENTS } } };
  // Deliberately drops the backend's type: the rest of the code does not know which backend it uses.
  return new Queue(queue.name, options, access.factory) as unknown as Queue;
}

/**
 * A span for what is sent, which the job continues. The context travels in our own envelope, so it is the same on every
 * store.
 * https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/
 */
async function sending<T>(
  tracing: Tracing,
  { name }: AnyQueue,
  count: number,
  add: (origin: TraceOrigin) => Promise<T>,
): Promise<T> {
  if (!tracing.isOn) return add([]);
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.operation.type': 'send',
    'messaging.operation.name': 'send',
    'messaging.destination.name': name,
    ...(count > 1 && { 'messaging.batch.message_count': count }),
  };
  return tracing.step(`send ${name}`, { kind: 'producer', attributes }, () =>
    add(tracing.origin()),
  );
}

function jobData<P>(payload: P, options: EnqueueOptions, origin: TraceOrigin = []): JobData<P> {
  return { payload, requestId: options.requestId ?? null, ...(origin.length > 0 && { origin }) };
}

function jobOptions<P>(
  queue: QueueDefinition<P>,
  payload: P,
  options: EnqueueOptions,
): BulkJobOptions {
  return {
    ...retryOptions(queue),
    ...(options.delayMs !== undefined && { delay: options.delayMs }),
    ...(options.priority !== undefined && { priority: options.priority }),
    ...(queue.key &&
      !options.delayMs && { deduplication: { id: queue.key(payload), keepLastIfActive: true } }),
  };
}

function retryOptions(
  queue: AnyQueue,
): { attempts: number; backoff: BackoffOptions } & BulkJobOptions {
  return {
    attempts: queue.attempts,
    backoff: { type: 'exponential', delay: queue.backoffMs, jitter: BACKOFF_JITTER },
    removeOnComplete: KEEP_COMPLETED,
    removeOnFail: KEEP_FAILED,
    keepLogs: KEEP_NOTES,
  };
}

async function failedJobs(queue: Queue, limit: number): Promise<FailedJob[]> {
  const jobs = await queue.getJobs(['failed'], 0, limit - 1);
  return jobs.map((job) => ({
    id: job.id ?? 'unknown',
    message: job.failedReason ?? '',
    attempts: job.attemptsMade,
    failedAt: new Date(job.finishedOn ?? job.timestamp),
    stack: job.stacktrace?.at(-1)?.slice(0, MAX_STACK) ?? null,
  }));
}

async function discardFailedJobs(queue: Queue, ids: readonly string[]): Promise<number> {
  let discarded = 0;
  for (const id of ids) {
    // A job retried in the meantime must stay.
    const job = await queue.getJob(id);
    if (!job || !(await job.isFailed())) continue;
    await job.remove();
    discarded += 1;
  }
  return discarded;
}

async function lastFinishedAt(queue: Queue): Promise<Date | null> {
  const latest = await Promise.all([
    queue.getJobs(['completed'], 0, 0),
    queue.getJobs(['failed'], 0, 0),
  ]);
  const times = latest.flat().flatMap(({ finishedOn }) => finishedOn ?? []);
  return times.length === 0 ? null : new Date(Math.max(...times));
}

async function nextRunAt(queue: Queue, name: string): Promise<Date | null> {
  const schedule = await queue.getJobScheduler(name);
  return schedule?.next === undefined ? null : new Date(schedule.next);
}

/** A queue's scheduler has the same name as the queue. */
async function syncSchedule(
  queue: Queue,
  { name, everyMs, ...definition }: AnyQueue,
): Promise<void> {
  const schedules = await queue.getJobSchedulers(0, MAX_SCHEDULES);
  for (const schedule of schedules) {
    if (everyMs === null || schedule.key !== name) await queue.removeJobScheduler(schedule.key);
  }
  if (everyMs === null) return;
  const present = schedules.find((schedule) => schedule.key === name);
  // Rewriting an unchanged schedule could postpone its next run each time.
  const runsOnTime = present?.every === everyMs && (present.next ?? 0) > Date.now() - 2 * everyMs;
  if (runsOnTime) return;
  await queue.upsertJobScheduler(
    name,
    { every: everyMs },
    { name, data: jobData({}, {}), opts: retryOptions({ name, everyMs, ...definition }) },
  );
}
