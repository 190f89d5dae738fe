import { z } from 'zod';

/** Job states as operators see them. */
export const JOB_STATES = ['waiting', 'active', 'delayed', 'failed', 'completed'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** The worker's note on a failed attempt. */
export interface JobNote {
  attempt: number;
  at: Date;
  end: string;
  durationMs: number;
  error: string;
}

/** A job in the store. */
export interface StoredJob {
  id: string;
  /** `unknown` for any state of BullMQ that is not listed. */
  state: JobState | 'unknown';
  payload: unknown;
  requestId: string | null;
  /** The trace of the first span that it continues; null when untraced. */
  traceId: string | null;
  /** Attempts started. */
  attempts: number;
  maxAttempts: number;
  addedAt: Date;
  /** The earliest time at which a worker may take it. */
  dueAt: Date;
  takenAt: Date | null;
  finishedAt: Date | null;
  /** Error of the last attempt. */
  error: string | null;
  /** Stacks of the failed attempts, oldest first. */
  stacks: readonly string[];
}

/** The fields of BullMQ's job that are read. */
interface BullJob {
  id?: string | undefined;
  data: unknown;
  timestamp: number;
  opts: { attempts?: number | undefined; delay?: number | undefined };
  attemptsMade: number;
  processedOn?: number | undefined;
  finishedOn?: number | undefined;
  failedReason: string;
  stacktrace: string[] | null;
}

/** A queue whose notes can be read. */
export interface NotedQueue {
  getJobLogs(id: string, start?: number, end?: number, asc?: boolean): Promise<{ logs: string[] }>;
}

type BullState = 'waiting' | 'prioritized' | 'active' | 'delayed' | 'failed' | 'completed';

/** The methods of BullMQ's queue that are called. */
interface BullQueue extends NotedQueue {
  getJobs(types: BullState[], start: number, end: number, asc?: boolean): Promise<BullJob[]>;
  getJob(id: string): Promise<BullJob | undefined>;
  getJobState(id: string): Promise<string>;
  getJobCounts(...types: BullState[]): Promise<Record<string, number>>;
}

const MAX_NOTES = 100;
const MAX_STACK = 10_000;

/** Jobs in a state: the next to run first, or the latest finished first. */
export async function listStoredJobs(
  queue: BullQueue,
  state: JobState,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ jobs: StoredJob[]; total: number }> {
  const types: BullState[] = state === 'waiting' ? ['waiting', 'prioritized'] : [state];
  const counts = await queue.getJobCounts(...types);
  const isAscending = state === 'waiting' || state === 'active' || state === 'delayed';
  const found: BullJob[] = [];
  let skipped = offset;
  for (const type of types) {
    const left = limit - found.length;
    const own = counts[type] ?? 0;
    if (left > 0 && skipped < own) {
      found.push(...(await queue.getJobs([type], skipped, skipped + left - 1, isAscending)));
    }
    skipped = Math.max(0, skipped - own);
  }
  return {
    jobs: found.map((job) => storedJob(job, state)),
    total: types.reduce((sum, type) => sum + (counts[type] ?? 0), 0),
  };
}

/** Null when the store has no such job: finished jobs are removed after a while. */
export async function findStoredJob(
  queue: BullQueue,
  id: string,
): Promise<{ job: StoredJob; notes: JobNote[] } | null> {
  const job = await queue.getJob(id);
  if (!job) return null;
  const state = await queue.getJobState(id);
  const { logs } = await queue.getJobLogs(id, 0, MAX_NOTES - 1, true);
  return { job: storedJob(job, stateOf(state)), notes: logs.flatMap(readNote) };
}

/** When the last attempt failed or was interrupted; null when there is no note. */
export async function latestNoteAt(queue: NotedQueue, id: string): Promise<Date | null> {
  const { logs } = await queue.getJobLogs(id, 0, MAX_NOTES - 1, true);
  return logs.flatMap(readNote).at(-1)?.at ?? null;
}

function stateOf(state: string): StoredJob['state'] {
  if (state === 'prioritized') return 'waiting';
  return JOB_STATES.find((known) => known === state) ?? 'unknown';
}

function storedJob(job: BullJob, state: StoredJob['state']): StoredJob {
  // Jobs of older versions may hold other data.
  const data = envelope.safeParse(job.data).data ?? { payload: null, requestId: null, origin: [] };
  const hasTaken = job.processedOn !== undefined;
  return {
    id: job.id ?? 'unknown',
    state,
    payload: data.payload ?? null,
    requestId: data.requestId,
    traceId: /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(data.origin[0] ?? '')?.[1] ?? null,
    // The store counts an attempt only when it has ended.
    attempts: job.attemptsMade + (state === 'active' ? 1 : 0),
    maxAttempts: job.opts.attempts ?? 1,
    addedAt: new Date(job.timestamp),
    dueAt: new Date(job.timestamp + (job.opts.delay ?? 0)),
    takenAt: hasTaken ? new Date(job.processedOn ?? 0) : null,
    finishedAt: job.finishedOn === undefined ? null : new Date(job.finishedOn),
    error: job.failedReason || null,
    stacks: (job.stacktrace ?? []).map((stack) => stack.slice(0, MAX_STACK)),
  };
}

const envelope = z.object({
  payload: z.unknown(),
  requestId: z.string().nullable().catch(null),
  origin: z.array(z.string()).catch([]),
});

const note = z.object({
  attempt: z.int(),
  at: z.iso.datetime(),
  end: z.string().max(20),
  ms: z.number(),
  error: z.string(),
});

const MAX_NOTED = 2_000;

/** A worker's note on a failed attempt, as a log line of the job. */
export function writeNote({ attempt, at, end, durationMs, error }: JobNote): string {
  const ms = Math.round(durationMs);
  return JSON.stringify({
    attempt,
    at: at.toISOString(),
    end,
    ms,
    error: error.slice(0, MAX_NOTED),
  });
}

/** Skips other lines, such as those written in the dashboard. */
function readNote(line: string): JobNote[] {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return [];
  }
  const { data } = note.safeParse(read);
  if (!data) return [];
  const { attempt, end, ms, error } = data;
  return [{ attempt, at: new Date(data.at), end, durationMs: ms, error }];
}
