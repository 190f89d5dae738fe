import { threadId, type Worker } from 'node:worker_threads';

/**
 * Shared with a thread: the id of the thread that took a task, and its CPU time in ms at that moment. Zeros until then.
 */
export type ThreadClock = Float64Array<SharedArrayBuffer>;

const THREAD = 0;
const STARTED = 1;

export function newThreadClock(): ThreadClock {
  return new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
}

/** Called by the thread when it starts the task. */
export function startThreadClock(clock: ThreadClock): void {
  const { user, system } = process.threadCpuUsage();
  clock[STARTED] = (user + system) / 1_000;
  clock[THREAD] = threadId;
}

/** CPU time in ms that the task has used so far, however busy its thread is; 0 before it starts and after it ends. */
export async function threadTimeUsed(
  clock: ThreadClock,
  threads: readonly Worker[],
): Promise<number> {
  const worker = threads.find((thread) => thread.threadId === clock[THREAD]);
  if (!worker) return 0;
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000 - (clock[STARTED] ?? 0);
  } catch (error) {
    // The thread has ended in the meantime.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_NOT_RUNNING')
      return 0;
    throw error;
  }
}
