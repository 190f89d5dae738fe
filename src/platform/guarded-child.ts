import { Worker } from 'node:worker_threads';
import { messageOf } from './message-of.ts';
import type { ChildLimits } from './guarded-child-watch.ts';

/** What a guarded process sends for each task. */
export type ChildAnswer<Outcome> =
  | { kind: 'done'; outcome: Outcome }
  | { kind: 'failed'; message: string };

const [filename = '', name = '', taskMs, residentMb] = process.argv.slice(2);
/** The CPU time of the process in ms when it took its task; 0 between tasks. */
const startedMs = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));

// The service decides when its tasks end, also when a signal goes to all processes of its group.
process.on('SIGTERM', () => undefined);
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());

const workerData: ChildLimits = {
  startedMs,
  taskMs: Number(taskMs),
  residentMb: Number(residentMb),
  parent: process.ppid,
};
const watch = new Worker(new URL('./guarded-child-watch.ts', import.meta.url), { workerData });
watch.unref();

const loaded = import(filename).then(
  (module: Record<string, (task: unknown) => unknown>) => module[name],
);

process.on('message', (task) => void answer(task));

async function answer(task: unknown): Promise<void> {
  const reply = await work(task);
  startedMs[0] = 0;
  process.send?.(reply);
}

async function work(task: unknown): Promise<ChildAnswer<unknown>> {
  try {
    const run = await loaded;
    const { user, system } = process.cpuUsage();
    startedMs[0] = (user + system) / 1_000;
    return { kind: 'done', outcome: await run?.(task) };
  } catch (error) {
    return { kind: 'failed', message: messageOf(error) };
  }
}
