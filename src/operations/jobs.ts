import { QUEUES } from '#queues/index.ts';
import type { AnyQueue } from '#queues/queue.ts';
import type { JobNote, JobState, StoredJob } from '#queues/read-jobs.ts';
import { Problem } from '#src/platform/errors.ts';
import type { JobSubject } from '#src/tables/operations.ts';
import { subjectsOf } from './job-subjects.ts';
import type { OperationsServices } from './operations-services.ts';

/**
 * Ids that the store assigns to jobs and to scheduled runs. Anything else could name one of the store's own keys, such
 * as `meta`.
 */
const JOB_ID = /^(?:[0-9]{1,18}|repeat:[a-z0-9-]{1,60}:[0-9]{1,18})$/;

type JobServices = Pick<OperationsServices, 'producer'>;

/** A job and its subjects. */
export interface QueueJob extends StoredJob {
  subjects: JobSubject[];
}

/** `attempt`: a failed attempt; `interrupted`: one ended by a restart, which does not count. */
export const JOB_EVENTS = [
  'added',
  'due',
  'attempt',
  'interrupted',
  'taken',
  'completed',
  'failed',
] as const;

/** An event in the life of a job. */
export interface JobEvent {
  /** Null when the store does not say. */
  at: Date | null;
  kind: (typeof JOB_EVENTS)[number];
  /** Set for attempts. */
  attempt: number | null;
  durationMs: number | null;
  /** Set for failed attempts. */
  error: string | null;
  stack: string | null;
}

/** @throws Problem NOT_FOUND when there is no such queue */
export function queueNamed(name: string): AnyQueue {
  const queue = QUEUES.find((one) => one.name === name);
  if (queue) return queue;
  throw new Problem(
    'NOT_FOUND',
    `There is no queue ${JSON.stringify(name.slice(0, 60))}. GET /operations/queues lists the queues.`,
  );
}

/**
 * The jobs in a state: the next to run first, or the latest finished first.
 * @throws Problem NOT_FOUND
 */
export async function listJobs(
  { producer }: JobServices,
  name: string,
  asked: { state: JobState; offset: number; limit: number },
): Promise<{ jobs: QueueJob[]; total: number }> {
  const { jobs, total } = await producer.listJobs(queueNamed(name), asked.state, asked);
  return { total, jobs: jobs.map(withSubjects) };
}

/**
 * A job and its events.
 * @throws Problem NOT_FOUND when the store has no such job
 */
export async function findJob(
  { producer }: JobServices,
  name: string,
  id: string,
): Promise<{ job: QueueJob; events: JobEvent[] }> {
  const queue = queueNamed(name);
  const found = JOB_ID.test(id) ? await producer.findJob(queue, id) : null;
  if (found === null) {
    throw new Problem(
      'NOT_FOUND',
      `The queue ${name} has no job ${JSON.stringify(id.slice(0, 60))}. Finished jobs are kept for an hour, failed ones for a week. GET /operations/queues/${name}/jobs lists what it has.`,
    );
  }
  return { job: withSubjects(found.job), events: eventsOf(found.job, found.notes) };
}

function withSubjects(job: StoredJob): QueueJob {
  return { ...job, subjects: subjectsOf(job.payload) };
}

/** The events of a job, oldest first: failed attempts from the workers' notes, the last one from the store. */
export function eventsOf(job: StoredJob, notes: readonly JobNote[]): JobEvent[] {
  const events: JobEvent[] = [{ ...PLAIN, kind: 'added', at: job.addedAt }];
  if (job.dueAt > job.addedAt) events.push({ ...PLAIN, kind: 'due', at: job.dueAt });
  events.push(...failedAttempts(job, notes));
  const { state, attempts, takenAt, finishedAt } = job;
  if (state === 'active') events.push({ ...PLAIN, kind: 'taken', at: takenAt, attempt: attempts });
  if (state === 'completed') {
    const durationMs = takenAt && finishedAt && finishedAt.getTime() - takenAt.getTime();
    events.push({ ...PLAIN, kind: 'completed', at: finishedAt, attempt: attempts, durationMs });
  }
  if (state === 'failed') events.push({ ...PLAIN, kind: 'failed', at: finishedAt });
  return events;
}

const PLAIN = { at: null, attempt: null, durationMs: null, error: null, stack: null };

/** The store keeps the stacks, oldest first. Attempts of older versions have no notes. */
function failedAttempts(job: StoredJob, notes: readonly JobNote[]): JobEvent[] {
  if (notes.length === 0) return unnotedAttempts(job);
  const stacks = pairStacks(job, notes);
  return notes.map((note) => ({
    ...PLAIN,
    kind: note.end === 'aborted' ? 'interrupted' : 'attempt',
    at: note.at,
    attempt: note.attempt,
    durationMs: note.durationMs,
    error: note.error,
    stack: stacks.get(note) ?? null,
  }));
}

/**
 * The stack of each note. Interrupted attempts leave none. There may be more stacks than notes, because a note could not
 * be written or the store ended an attempt, and fewer, because the job was retried; a stack then belongs to the latest
 * attempt with its message.
 */
function pairStacks(
  { stacks }: StoredJob,
  notes: readonly JobNote[],
): ReadonlyMap<JobNote, string | undefined> {
  const failed = notes.filter(({ end }) => end !== 'aborted');
  if (failed.length === stacks.length) {
    return new Map(failed.map((note, index) => [note, stacks[index]]));
  }
  const pairs = new Map<JobNote, string | undefined>();
  let left = stacks;
  for (const note of failed.toReversed()) {
    const index = left.findLastIndex((stack) => stack.includes(note.error));
    if (index === -1) continue;
    pairs.set(note, left[index]);
    left = left.slice(0, index);
  }
  return pairs;
}

function unnotedAttempts(job: StoredJob): JobEvent[] {
  return job.stacks.map((stack, index) => ({
    ...PLAIN,
    kind: 'attempt',
    attempt: index + 1,
    error: stack.split('\n', 1)[0] ?? job.error,
    stack,
  }));
}
