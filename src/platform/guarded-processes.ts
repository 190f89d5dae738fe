import { openFairGate } from './fair-gate.ts';
import { type GuardedProcess, LostTask, startGuardedProcess } from './guarded-process.ts';

export interface TaskLimits {
  processes: number;
  /** The most processes that one owner may hold, even if nobody else waits. By default all but one. */
  processesOfOwner?: number;
  /** CPU time of one task, from when a process starts it. */
  taskMs: number;
  /** Wall-clock time, including the start of the process and other load on the machine. */
  waitMs: number;
  /** JavaScript heap of one process; what it holds outside may be half as much. */
  memoryMb: number;
}

/** The module and the name of its function, which takes a task and returns plain values. */
export interface TaskEntry {
  filename: string;
  name: string;
}

/**
 * Processes for untrusted tasks: a task that hangs or exhausts memory loses its process and fails alone. Threads would
 * not do: when V8 cannot get the memory that one built-in function asks for, it aborts the process with all its threads.
 */
export interface GuardedProcesses<Task, Outcome> extends AsyncDisposable {
  /**
   * Waiting for a free process does not count as the task's time. Owners take turns: a task waits for at most one of
   * each other owner, however many tasks they have.
   * @throws LostTask when the task hangs, exhausts memory or ends its process
   * @throws the signal's reason when it is aborted
   */
  run(task: Task, options: TaskOptions): Promise<Outcome>;
}

export interface TaskOptions {
  /** The owner of the task, such as a workspace. */
  owner: string;
  signal: AbortSignal;
}

/** Idle processes stay for the next task of a stream, and end soon after the last one. */
const IDLE_MS = 5_000;

/** Opens processes, which start with the first task. */
export function openGuardedProcesses<Task, Outcome>(
  limits: TaskLimits,
  entry: TaskEntry,
): GuardedProcesses<Task, Outcome> {
  const children = openChildren<Task, Outcome>(limits, entry);
  const { processes, processesOfOwner } = limits;
  const gate = openFairGate<string>({
    places: processes,
    ...(processesOfOwner !== undefined && { placesOfKey: processesOfOwner }),
  });
  return {
    async run(task, { owner, signal }) {
      const leave = await gate.enter(owner, { signal });
      try {
        const used = children.takeIdle();
        if (!used) return await children.run(children.start(), task, signal);
        try {
          return await children.run(used, task, signal);
        } catch (error) {
          // What an earlier task left behind may have ended the process: this one gets another.
          if (!(error instanceof LostTask) || error.end === 'overtime') throw error;
          return await children.run(children.start(), task, signal);
        }
      } finally {
        leave();
      }
    },
    [Symbol.asyncDispose]: () => children.end(),
  };
}

interface Children<Task, Outcome> {
  start(): GuardedProcess<Task, Outcome>;
  takeIdle(): GuardedProcess<Task, Outcome> | undefined;
  /** Afterwards the process is idle, if it is still there. */
  run(child: GuardedProcess<Task, Outcome>, task: Task, signal: AbortSignal): Promise<Outcome>;
  end(): Promise<void>;
}

function openChildren<Task, Outcome>(
  limits: TaskLimits,
  entry: TaskEntry,
): Children<Task, Outcome> {
  const alive = new Set<GuardedProcess<Task, Outcome>>();
  const idle = new Map<GuardedProcess<Task, Outcome>, NodeJS.Timeout>();
  const leaveIdle = (child: GuardedProcess<Task, Outcome>): void => {
    clearTimeout(idle.get(child));
    idle.delete(child);
  };
  return {
    start() {
      const child = startGuardedProcess<Task, Outcome>(limits, entry);
      alive.add(child);
      void child.ended.then(() => {
        alive.delete(child);
        leaveIdle(child);
      });
      return child;
    },
    takeIdle() {
      const [child] = idle.keys();
      if (child) leaveIdle(child);
      return child;
    },
    async run(child, task, signal) {
      try {
        return await child.run(task, signal);
      } finally {
        if (alive.has(child))
          idle.set(
            child,
            setTimeout(() => child.kill(), IDLE_MS),
          );
      }
    },
    async end() {
      for (const child of alive) child.kill();
      await Promise.all(Array.from(alive, ({ ended }) => ended));
    },
  };
}
