import { z } from 'zod';

/** What kind of work exists: its name, the shape of its payload, and how it is retried. Pure data. */
export interface QueueDefinition<P> {
  /** Lower-case words joined by `-`; also the name of the worker's file. */
  name: string;
  /** Ids only: the row that they name holds the data. Parsed again when the job arrives. */
  payload: z.ZodType<P>;
  /** How often a job is tried in all before it counts as failed. */
  attempts: number;
  /** Delay before the second attempt; it doubles with each further one, with up to half of it as jitter. */
  backoffMs: number;
  /** Jobs with the same key are one while they wait; one added while its twin is active runs after it. */
  key: ((payload: P) => string) | null;
  /** Period of a queue that runs on a schedule with the payload `{}`; null for work that is only enqueued. */
  everyMs: number | null;
  /** Jobs at once in one process. The setting `<NAME>_CONCURRENCY` overrides it where there is one. */
  concurrency: number;
  /** After this the attempt's signal is aborted and the attempt has failed. */
  timeoutMs: number;
  /** The next attempt goes on where one was stopped: when the process stops, it is told so at once, not at the deadline. */
  isResumable: boolean;
  /** A handler has this long after its signal to hand its work back; then the attempt is over without its consent. */
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

/** BullMQ builds its keys with `:`, and PostgreSQL cuts connection names at 63 bytes. */
const QUEUE_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const QUEUE_NAME_MAX_LENGTH = 50;

/** Fills in the defaults: 3 attempts, 1 s backoff, no key, no schedule, one job at a time, one minute each, not resumable, 3 s to hand back. */
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

const envelope = z.object({ payload: z.unknown(), requestId: z.string().nullable().default(null) });

/** What a BullMQ job carries as its data. */
export interface JobData<P> {
  payload: P;
  /** The HTTP request that led to this job, for the logs; null for scheduled work. */
  requestId: string | null;
}

/** A job's data cannot be read, such as one that an older version of the code enqueued. */
export class UnreadableJob extends Error {
  override readonly name = 'UnreadableJob';
}

/**
 * Parses the data of an arriving job.
 * @throws UnreadableJob that names the queue and the fields, never their values
 */
export function parseJobData<P>(queue: QueueDefinition<P>, data: unknown): JobData<P> {
  const outer = envelope.safeParse(data);
  if (!outer.success) throw unreadable(queue.name, outer.error);
  const inner = queue.payload.safeParse(outer.data.payload);
  if (!inner.success) throw unreadable(queue.name, inner.error);
  return { payload: inner.data, requestId: outer.data.requestId };
}

function unreadable(queueName: string, error: z.ZodError): UnreadableJob {
  const fields = error.issues.map(
    (issue) => `${issue.path.join('.') || '(whole)'}: ${issue.message}`,
  );
  return new UnreadableJob(
    `The payload of this ${queueName} job is not one this version of Millrace can read (${fields.join('; ')}). Remove the job; its row will be enqueued again if work is left.`,
  );
}
