import { Piscina } from 'piscina';
import { openGate } from './gate.ts';
import { messageOf } from './message-of.ts';
import { newThreadClock, type ThreadClock, threadTimeUsed } from './thread-clock.ts';

export interface TaskLimits {
  threads: number;
  /** CPU time of one task, from when a thread starts it. */
  taskMs: number;
  /** Wall-clock time, including the start of the thread and other load on the machine. */
  waitMs: number;
  /** JavaScript heap of one thread. */
  memoryMb: number;
}

/** What a thread receives; the thread calls `startThreadClock` first. */
export interface TimedTask<Task> {
  task: Task;
  clock: ThreadClock;
}

/** A task that killed its thread. */
export class LostTask extends Error {
  readonly end: 'overtime' | 'memory' | 'ended';

  constructor(end: LostTask['end'], cause: unknown) {
    super(messageOf(cause), { cause });
    this.end = end;
  }
}

/** Threads for untrusted tasks: a task that hangs or exhausts memory loses its thread and fails alone. */
export interface GuardedThreads<Task, Outcome> extends AsyncDisposable {
  /**
   * Waiting for a free thread does not count as the task's time.
   * @throws LostTask when the task hangs, exhausts memory or ends its thread
   * @throws the signal's reason when it is aborted
   */
  run(task: Task, signal: AbortSignal): Promise<Outcome>;
}

/** Idle threads stay for the next task of a stream, and end soon after the last one. */
const IDLE_MS = 5_000;
const LOOK_EVERY_MS = 100;

/**
 * Opens threads, which start with the first task.
 * @param entry the thread's module and the name of its function, which takes a `TimedTask` and returns plain values
 */
export function openGuardedThreads<Task, Outcome>(
  limits: TaskLimits,
  entry: { filename: string; name: string },
): GuardedThreads<Task, Outcome> {
  const threads = new Piscina<TimedTask<Task>, Outcome>({
    ...entry,
    minThreads: 0,
    maxThreads: limits.threads,
    idleTimeout: IDLE_MS,
    // Keeps an idle thread awake: anything a task left behind fails immediately, not during the next task.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
  });
  // The pool replaces a thread that fails after its task is done; without a listener the error would end the process.
  threads.on('error', () => undefined);
  const gate = openGate(limits.threads);
  return {
    async run(task, signal) {
      const leave = await gate();
      try {
        signal.throwIfAborted();
        return await runWithin(threads, task, limits, signal);
      } finally {
        leave();
      }
    },
    async [Symbol.asyncDispose]() {
      await threads.destroy();
    },
  };
}

async function runWithin<Task, Outcome>(
  threads: Piscina<TimedTask<Task>, Outcome>,
  task: Task,
  limits: TaskLimits,
  signal: AbortSignal,
): Promise<Outcome> {
  const clock = newThreadClock();
  using overtime = watchOvertime(threads, clock, limits);
  try {
    return await threads.run(
      { task, clock },
      { signal: AbortSignal.any([overtime.signal, signal]) },
    );
  } catch (error) {
    signal.throwIfAborted();
    if (overtime.signal.aborted) throw new LostTask('overtime', error);
    const isMemory =
      error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    throw new LostTask(isMemory ? 'memory' : 'ended', error);
  }
}

/** A signal that is aborted when the timed task has used up its time. */
function watchOvertime(
  pool: Pick<Piscina, 'threads'>,
  clock: ThreadClock,
  { taskMs, waitMs }: TaskLimits,
): Disposable & { signal: AbortSignal } {
  const stop = new AbortController();
  const startedMs = performance.now();
  const look = async (): Promise<void> => {
    if (performance.now() - startedMs > waitMs) stop.abort();
    else if ((await threadTimeUsed(clock, pool.threads)) > taskMs) stop.abort();
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => stop.abort(error));
  }, LOOK_EVERY_MS);
  return { signal: stop.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
