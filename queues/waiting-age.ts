import { latestNoteAt, type NotedQueue } from './read-jobs.ts';

/** The fields of BullMQ's job that are read. */
interface WaitingJob {
  id?: string | undefined;
  timestamp: number;
  opts: { delay?: number | undefined };
  attemptsMade: number;
  processedOn?: number | undefined;
}

interface WaitingQueue extends NotedQueue {
  name: string;
  getJobs(
    types: ('waiting' | 'prioritized')[],
    start: number,
    end: number,
    asc: boolean,
  ): Promise<WaitingJob[]>;
}

type WaitingAge = (queue: WaitingQueue) => Promise<number | null>;

/**
 * How long the job at the head of a queue has been ready to run, in milliseconds; null when none is waiting. The store
 * does not keep that time, so it counts:
 *
 * - for a job that has not run yet, from when it was due;
 * - for one whose attempt failed or was interrupted, from the end of that attempt, so a backoff counts as well;
 * - for one that an operator retried or promoted, from when this process first saw it at the head, which is less than the
 *   true age.
 */
export function createWaitingAge(clock: () => number = Date.now): WaitingAge {
  const firstSeen = new Map<string, ReadonlyMap<string, number>>();
  return async (queue) => {
    const heads = await Promise.all([
      queue.getJobs(['waiting'], 0, 0, true),
      queue.getJobs(['prioritized'], 0, 0, true),
    ]);
    const now = clock();
    const seenBefore = firstSeen.get(queue.name);
    const seen = new Map<string, number>();
    const readySince = await Promise.all(
      heads.flat().map(async (job) => {
        const known = await knownSince(queue, job, now);
        if (known !== null) return known;
        const key = `${job.id}, ${job.attemptsMade} attempts`;
        const since = seenBefore?.get(key) ?? now;
        seen.set(key, since);
        return since;
      }),
    );
    firstSeen.set(queue.name, seen);
    return readySince.length === 0 ? null : Math.max(0, now - Math.min(...readySince));
  };
}

async function knownSince(
  queue: NotedQueue,
  { id, timestamp, opts, attemptsMade, processedOn }: WaitingJob,
  now: number,
): Promise<number | null> {
  if (processedOn !== undefined && id !== undefined) {
    return Math.max(processedOn, (await latestNoteAt(queue, id))?.getTime() ?? 0);
  }
  // An operator's retry removes the time of the last attempt.
  if (attemptsMade > 0) return null;
  const dueAt = timestamp + (opts.delay ?? 0);
  return dueAt <= now ? dueAt : null;
}
