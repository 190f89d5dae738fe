import { type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import type { QueueDefinition } from '#queues/queue.ts';
import { writeNote } from '#queues/read-jobs.ts';
import type { TakenJob } from '#src/operations/job-history.ts';
import type { Services } from '#src/services.ts';
import { attemptJob, type Outcome, ShutdownError, type WorkerDefinition } from './attempt-job.ts';
import { historyEnd } from './history-end.ts';

/** Defines how the jobs of a queue are handled. `workers/<queue name>.ts` exports the result as `worker`. */
export function defineWorker<P>(
  queue: QueueDefinition<P>,
  handle: WorkerDefinition<P>['handle'],
): WorkerDefinition<P> {
  return { queue, handle };
}

export interface RunningWorker {
  readonly queueName: string;
  readonly concurrency: number;
  /** Takes no more jobs until `resume`; active ones go on. */
  pause(): void;
  resume(): void;
  /**
   * Takes no more jobs, waits for the active ones, aborts them at the deadline (resumable ones at once) and returns
   * them to the queue without using up an attempt. Resolves at most seconds after the deadline, whatever the handlers
   * and the store do.
   */
  close(deadlineMs: number): Promise<void>;
}

/** The jobs of a killed worker return once its lock has expired and a check has noticed: within 30 s. */
const LOCK_MS = 20_000;
const STALLED_CHECK_MS = 5_000;
/** How often a job may lose its worker (deploys, kills) before it counts as poisonous. */
const MAX_LOST_WORKERS = 10;
/** Pause between attempts to reach a store that refuses connections. */
const STORE_RETRY_MS = 1_000;
/** How long the store has to take back the jobs of a closing worker. */
const STORE_GRACE_MS = 3_000;

const WORKER_SETTINGS = {
  lockDuration: LOCK_MS,
  stalledInterval: STALLED_CHECK_MS,
  maxStalledCount: MAX_LOST_WORKERS,
  runRetryDelay: STORE_RETRY_MS,
};

/** Starts taking jobs at once, up to `concurrency` at a time. */
export function startWorker<P>(
  definition: WorkerDefinition<P>,
  services: Services,
  concurrency: number = definition.queue.concurrency,
): RunningWorker {
  const { jobHistory, queueBackend } = services;
  const { forWorkers, reportError } = queueBackend;
  const active = new Set<AbortController>();
  let stopping: ShutdownError | null = null;

  const processJob = async (job: Job, token?: string): Promise<void> => {
    const abort = new AbortController();
    // A fetch in progress when the worker closed may still bring a job.
    if (stopping) abort.abort(stopping);
    // So may a fetch that was in progress when the queue was paused.
    if (worker.isPaused()) return handBack(job, token, reportError);
    active.add(abort);
    const end = jobHistory.begin(takenJob(definition.queue.name, job));
    let outcome: Outcome | null = null;
    try {
      const startedAt = performance.now();
      outcome = await attemptJob(definition, services, arrivedJob(job), abort);
      await noteFailure(job, outcome, performance.now() - startedAt).catch(reportError);
      if (outcome.kind === 'aborted') await handBack(job, token, reportError);
      else tellBullMq(outcome);
    } finally {
      active.delete(abort);
      end(outcome === null ? null : historyEnd(outcome));
    }
  };

  const settings = { ...forWorkers.options, ...WORKER_SETTINGS, concurrency };
  const worker = new Worker(definition.queue.name, processJob, settings, forWorkers.factory);
  worker.on('error', reportError);

  return {
    queueName: definition.queue.name,
    concurrency,
    ...pausing(worker, reportError),
    async close(deadlineMs) {
      const reason = new ShutdownError('The process is stopping.');
      stopping = reason;
      const closed = worker.close();
      const abortMs = definition.queue.isResumable ? 0 : deadlineMs;
      const deadline = setTimeout(() => {
        for (const abort of active) abort.abort(reason);
      }, abortMs);
      // Jobs that an unavailable store does not take back stay locked until the lock expires; another worker then finds
      // them.
      await settledOrLate(closed, deadlineMs + definition.queue.abortGraceMs + STORE_GRACE_MS);
      clearTimeout(deadline);
    },
  };
}

/** The store keeps no times of failed attempts, so they are noted in the job's log, for its page. */
async function noteFailure(job: Job, outcome: Outcome, durationMs: number): Promise<void> {
  if (outcome.kind === 'completed' || outcome.kind === 'later') return;
  const { kind: end, error } = outcome;
  const attempt = job.attemptsMade + 1;
  const note = writeNote({ attempt, at: new Date(), end, durationMs, error: error.message });
  await job.log(note);
}

function pausing(
  worker: Pick<Worker, 'isPaused' | 'pause' | 'resume'>,
  reportError: (error: Error) => void,
): Pick<RunningWorker, 'pause' | 'resume'> {
  return {
    pause() {
      if (!worker.isPaused()) worker.pause(true).catch(reportError);
    },
    resume() {
      if (worker.isPaused()) worker.resume().catch(reportError);
    },
  };
}

function arrivedJob(job: Job): {
  id: string;
  data: unknown;
  attemptsMade: number;
  attempts: number;
} {
  return {
    id: job.id ?? 'unknown',
    data: job.data,
    attemptsMade: job.attemptsMade,
    attempts: job.opts.attempts ?? 1,
  };
}

function takenJob(queue: string, job: Job): TakenJob {
  // Jobs of older versions may have any data.
  const data = job.data as { payload?: unknown; requestId?: unknown } | null;
  const dueAtMs = job.timestamp + (job.opts.delay ?? 0);
  return {
    queue,
    jobId: job.id ?? 'unknown',
    attempt: job.attemptsMade + 1,
    requestId: typeof data?.requestId === 'string' ? data.requestId : null,
    payload: data?.payload,
    dueAt: job.attemptsMade === 0 ? new Date(dueAtMs) : null,
  };
}

/** BullMQ counts an attempt unless the job is back in the queue and a `WaitingError` says so. */
async function handBack(
  job: Job,
  token: string | undefined,
  reportError: (error: Error) => void,
): Promise<never> {
  await job.moveToWait(token).catch(reportError);
  throw new WaitingError();
}

function tellBullMq(outcome: Outcome): void {
  switch (outcome.kind) {
    case 'completed':
    // `moveToDelayed` is unreliable on the Postgres store, so a new job already replaces this one.
    case 'later':
      return;
    case 'gave-up':
      throw new UnrecoverableError(outcome.error.message);
    case 'retry':
    case 'failed':
    case 'aborted':
      throw outcome.error;
  }
}

async function settledOrLate(work: Promise<void>, timeoutMs: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, timeoutMs);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}
