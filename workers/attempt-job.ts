import type { Logger } from 'pino';
import {
  type AnyQueue,
  type JobData,
  parseJobData,
  type QueueDefinition,
  UnreadableJob,
} from '#queues/queue.ts';
import { GiveUp, RetryLater } from '#src/platform/errors.ts';
import { failureType, type OpenSpan } from '#src/platform/tracing.ts';
import type { Services } from '#src/services.ts';

/** What a handler knows about the current attempt. */
export interface JobContext {
  id: string;
  /** 1 for the first attempt. */
  attempt: number;
  lastAttempt: boolean;
  /** The HTTP request that led to this job. */
  requestId: string | null;
  /**
   * Aborted when the attempt's time is up or the process must stop: hand back the work and throw `signal.reason`. After
   * the queue's `abortGraceMs` the attempt is ended regardless.
   */
  signal: AbortSignal;
  log: Logger;
}

export type JobFacts = Readonly<Record<string, string | number | null>>;

export interface WorkerDefinition<P> {
  queue: QueueDefinition<P>;
  /** The returned facts go into the attempt's log line: ids and states, never content. */
  handle(services: Services, payload: P, job: JobContext): Promise<JobFacts | void>;
}

/** A job as read from the store. */
export interface ArrivedJob {
  id: string;
  data: unknown;
  /** Attempts made before this one. */
  attemptsMade: number;
  /** Total attempts allowed. */
  attempts: number;
}

/** The process is stopping; the job returns to the queue without using up an attempt. */
export class ShutdownError extends Error {
  override readonly name = 'ShutdownError';
}

/** The attempt took longer than its queue allows. */
export class JobTimeout extends Error {
  override readonly name = 'JobTimeout';
}

/** How an attempt ended. `later`: a new job already replaces this one. */
export type Outcome =
  | { kind: 'completed'; facts: JobFacts }
  | { kind: 'later' | 'retry' | 'failed' | 'gave-up' | 'aborted'; error: Error };

/**
 * Makes one attempt and writes its log line and metric. Never rejects: the outcome says what becomes of the job.
 * Aborting `abort` ends the attempt, at the latest after the grace period.
 */
export async function attemptJob<P>(
  definition: WorkerDefinition<P>,
  services: Services,
  job: ArrivedJob,
  abort: AbortController,
): Promise<Outcome> {
  const startedAt = performance.now();
  const { queue } = definition;
  const data = readData(queue, job.data);
  const context = contextOf(queue, job, data, abort.signal, services.log);
  const span = openJobSpan(services, queue, context, data);
  const outcome = await span.run(() => outcomeOf(definition, services, data, context, abort));
  endJobSpan(span, outcome);
  const durationMs = performance.now() - startedAt;
  services.metrics.observeJob(queue.name, outcome.kind, durationMs / 1_000);
  logAttempt(services.log, queue, context, outcome, durationMs);
  return outcome;
}

/**
 * Continues the request that sent the job; scheduled work begins a trace of its own.
 * https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/
 */
function openJobSpan(
  { tracing }: Pick<Services, 'tracing'>,
  { name }: AnyQueue,
  { id, attempt, requestId }: JobContext,
  data: JobData<unknown> | UnreadableJob,
): OpenSpan {
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.destination.name': name,
    'messaging.message.id': id,
    'millrace.job.attempt': attempt,
    'millrace.request.id': requestId ?? undefined,
  };
  const origin = data instanceof UnreadableJob ? [] : (data.origin ?? []);
  return tracing.open(`process ${name}`, { kind: 'consumer', attributes, origin });
}

function endJobSpan(span: OpenSpan, outcome: Outcome): void {
  span.set({ 'millrace.job.outcome': outcome.kind });
  if (outcome.kind !== 'completed' && outcome.kind !== 'later') {
    span.fail(failureType(outcome.error));
  }
  span.end();
}

function readData<P>(queue: QueueDefinition<P>, data: unknown): JobData<P> | UnreadableJob {
  try {
    return parseJobData(queue, data);
  } catch (error) {
    if (error instanceof UnreadableJob) return error;
    throw error;
  }
}

function contextOf(
  queue: AnyQueue,
  job: ArrivedJob,
  data: JobData<unknown> | UnreadableJob,
  signal: AbortSignal,
  log: Logger,
): JobContext {
  const requestId = data instanceof UnreadableJob ? null : data.requestId;
  // A job that replaces an earlier one (RetryLater) was given only the remaining attempts.
  const attemptsBefore = Math.max(0, queue.attempts - job.attempts);
  return {
    id: job.id,
    attempt: attemptsBefore + job.attemptsMade + 1,
    lastAttempt: job.attemptsMade + 1 >= job.attempts,
    requestId,
    signal,
    log: log.child({ queue: queue.name, jobId: job.id, requestId }),
  };
}

async function outcomeOf<P>(
  definition: WorkerDefinition<P>,
  services: Services,
  data: JobData<P> | UnreadableJob,
  context: JobContext,
  abort: AbortController,
): Promise<Outcome> {
  const { queue } = definition;
  if (data instanceof UnreadableJob) return { kind: 'gave-up', error: data };
  const timer = setTimeout(
    () => abort.abort(new JobTimeout(`${queue.name} took longer than ${queue.timeoutMs} ms.`)),
    queue.timeoutMs,
  );
  try {
    context.signal.throwIfAborted();
    const facts = await endedByAbort(
      definition.handle(services, data.payload, context),
      context.signal,
      queue.abortGraceMs,
    );
    return { kind: 'completed', facts: facts ?? {} };
  } catch (error) {
    const outcome = failureOf(error, context);
    if (!(error instanceof RetryLater)) return outcome;
    try {
      await services.producer.enqueueAgain(queue, data, {
        delayMs: error.delayMs,
        attempts: queue.attempts - context.attempt + 1,
      });
      return outcome;
    } catch (storeError) {
      return failureOf(storeError, context);
    }
  } finally {
    clearTimeout(timer);
  }
}

function failureOf(thrown: unknown, { signal, lastAttempt }: JobContext): Outcome {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (error instanceof RetryLater) return { kind: 'later', error };
  if (error instanceof GiveUp) return { kind: 'gave-up', error };
  const reason: unknown = signal.aborted ? signal.reason : null;
  if (reason instanceof ShutdownError) return { kind: 'aborted', error: reason };
  return {
    kind: lastAttempt ? 'failed' : 'retry',
    error: reason instanceof JobTimeout ? reason : error,
  };
}

/**
 * Settles with `work`, or rejects with the abort's reason if `work` has not settled within the grace period after the
 * abort.
 */
async function endedByAbort<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  const abandoned = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | null = null;
  const startGrace = (): void => {
    timer = setTimeout(() => abandoned.reject(signal.reason), graceMs);
  };
  signal.addEventListener('abort', startGrace, { once: true });
  try {
    return await Promise.race([work, abandoned.promise]);
  } finally {
    signal.removeEventListener('abort', startGrace);
    if (timer !== null) clearTimeout(timer);
  }
}

function logAttempt(
  log: Logger,
  queue: AnyQueue,
  context: JobContext,
  outcome: Outcome,
  durationMs: number,
): void {
  const line = {
    queue: queue.name,
    jobId: context.id,
    attempt: context.attempt,
    requestId: context.requestId,
    durationMs: Math.round(durationMs),
    outcome: outcome.kind,
    ...(outcome.kind === 'completed' ? outcome.facts : { error: outcome.error.message }),
  };
  switch (outcome.kind) {
    case 'completed':
      if (wasIdle(queue, outcome.facts)) log.debug(line, 'job');
      else log.info(line, 'job');
      break;
    case 'later':
      log.info(line, 'job');
      break;
    case 'retry':
    case 'aborted':
      log.warn(line, 'job');
      break;
    case 'gave-up':
    case 'failed':
      log.error(line, 'job');
      break;
  }
}

/** Scheduled work that found nothing to do: an idle service does nothing else, several times a minute. */
function wasIdle({ everyMs }: AnyQueue, facts: JobFacts): boolean {
  return everyMs !== null && Object.values(facts).every((fact) => fact === 0 || fact === null);
}
