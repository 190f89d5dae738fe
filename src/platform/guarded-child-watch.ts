import { workerData } from 'node:worker_threads';

export interface ChildLimits {
  /** Shared with the thread that does the tasks: the CPU time of the process when it took one; 0 between tasks. */
  startedMs: Float64Array<SharedArrayBuffer>;
  taskMs: number;
  /** Memory of the whole process. */
  residentMb: number;
  /** Process id of the service. */
  parent: number;
}

const LOOK_EVERY_MS = 100;
const MB = 1024 * 1024;

/**
 * A thread of a guarded process that looks at the other one, which may be stuck. It ends the process by the signal that
 * says why: SIGXCPU for time, SIGABRT, as V8 itself does, for memory.
 */
const { startedMs, taskMs, residentMb, parent } = workerData as ChildLimits;
setInterval(() => {
  const started = startedMs[0] ?? 0;
  const { user, system } = process.cpuUsage();
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  else if (started > 0 && (user + system) / 1_000 - started > taskMs)
    process.kill(process.pid, 'SIGXCPU');
  else if (process.memoryUsage.rss() > residentMb * MB) process.kill(process.pid, 'SIGABRT');
}, LOOK_EVERY_MS);
