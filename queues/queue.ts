import { z } from 'zod';

/** A kind of work: its name, the shape of its payload, and how it is retried. Pure data. */
export interface QueueDefinition<P> {
  /** Lower-case words joined by `-`; also the name of the worker's file. */
  name: string;
  /** Ids only: the data is in the rows they identify. Parsed again when the job arrives. */
  payload: z.ZodType<P>;
  /** Total attempts before a job counts as failed. */
  attempts: number;
  /** Delay before the second attempt; it doubles with each further one, plus up to half of it as jitter. */
  backoffMs: number;
  /** Waiting jobs with the same key are merged; one added while its twin is active runs after it. */
  key: ((payload: P) => string) | null;
  /** Period of a scheduled queue, whose payload is `{}`; null for work that is only enqueued. */
  everyMs: number | null;
  /** Concurrent jobs per process. Overridden by the setting `<NAME>_CONCURRENCY`, where it exists. */
  concurrency: number;
  /** After this time the attempt's signal is aborted and the attempt has failed. */
  timeoutMs: number;
  /**
   * Whether the next attempt continues where this one stopped. If so, a stopping process aborts it at once, not at the
   * deadline.
   */
  isResumable: boolean;
  /** Time a handler has after its signal to hand back its work; after that the attempt is ended regardless. */
  abortGraceMs: number;
}

/** A queue whose payload type does not matter to the caller. */
export type AnyQueue = Omit<QueueDefinition<unknown>, 'key'>;

type QueueDefaults =
  | 'attempts'
  | 'backoffMs'
  | 'key'
  | 'everyMs'
  | 'concurrency'
  | 'timeoutMs'
  | 'isResumable'
  | 'abortGraceMs';
type QueueInput<P> = Pick<QueueDefinition<P>, 'name' | 'payload'> &
  Partial<Pick<QueueDefinition<P>, QueueDefaults>>;

/** BullMQ builds its keys with `:`, and PostgreSQL truncates connection names at 63 bytes. */
const QUEUE_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const QUEUE_NAME_MAX_LENGTH = 50;

/**
 * Fills in the defaults: 3 attempts, 1 s backoff, no key, no schedule, one job at a time, a timeout of one minute, not
 * resumable, 3 s to hand back.
 */
export function defineQueue<P>(input: QueueInput<P>): QueueDefinition<P> {
  if (!QUEUE_NAME.test(input.name) || input.name.length > QUEUE_NAME_MAX_LENGTH) {
    throw new Error(
      `Queue name "${input.name}" is not usable: write up to ${QUEUE_NAME_MAX_LENGTH} lower-case letters and digits, words joined by "-".`,
    );
  }
  return {
    attempts: 3,
    backoffMs: 1_000,
    key: null,
    everyMs: null,
    concurrency: 1,
    timeoutMs: 60_000,
    isResumable: false,
    abortGraceMs: 3_000,
    ...input,
  };
}

const MAX_ORIGINS = 64;

const envelope = z.object({
  payload: z.unknown(),
  requestId: z.string().nullable().default(null),
  // A trace is never worth a job.
  origin: z.array(z.string().max(100)).max(MAX_ORIGINS).catch([]).default([]),
});

/** The data of a BullMQ job. */
export interface JobData<P> {
  payload: P;
  /** The HTTP request that led to this job, for the logs; null for scheduled work. */
  requestId: string | null;
  /** The spans that this job continues, as `traceparent` values; absent when nothing is traced. */
  origin?: readonly string[];
}

/** The data of a job cannot be read, for example because an older version of the code enqueued it. */
export class UnreadableJob extends Error {
  override readonly name = 'UnreadableJob';
}

/**
 * Parses the data of an arriving job.
 * @throws UnreadableJob naming the queue and the fields, never their values
 */
export function parseJobData<P>(queue: QueueDefinition<P>, data: unknown): JobData<P> {
  const outer = envelope.safeParse(data);
  if (!outer.success) throw unreadable(queue.name, outer.error);
  const inner = queue.payload.safeParse(outer.data.payload);
  if (!inner.success) throw unreadable(queue.name, inner.error);
  const { requestId, origin } = outer.data;
  return { payload: inner.data, requestId, ...(origin.length > 0 && { origin }) };
}

function unreadable(queueName: string, error: z.ZodError): UnreadableJob {
  const fields = error.issues.map(
    (issue) => `${issue.path.join('.') || '(whole)'}: ${issue.message}`,
  );
  return new UnreadableJob(
    `The payload of this ${queueName} job cannot be read by this version of Millrace (${fields.join('; ')}). Remove the job; its row will be enqueued again if work is left.`,
  );
}
