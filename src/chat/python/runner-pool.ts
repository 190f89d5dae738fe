import { ToolFailed } from '#src/chat/tools/tool.ts';
import { readFrames } from './frames.ts';
import { encodeJob } from './runner-job.ts';
import type { SandboxLimits } from './sandbox-limits.ts';
import { findConfinement, PYODIDE_URL, type Runner, spawnRunner } from './spawn-runner.ts';

/** More than the interpreter's memory right after start. */
const MAX_SNAPSHOT_BYTES = 128 * 1024 * 1024;
/** V8's compilers use other cores in addition to the code. */
const CORES = 2;

export interface RunnerPool extends AsyncDisposable {
  /** Memory snapshot of an initialized Python: a process starts from it six times as fast. Made once. */
  snapshot(): Promise<Uint8Array>;
  start(): Promise<Runner>;
}

/** The processes of a sandbox; none outlives it. */
export function createRunnerPool(limits: SandboxLimits): RunnerPool {
  const running = new Set<Runner>();
  let confinement: Promise<readonly string[]> | null = null;
  let snapshot: Promise<Uint8Array> | null = null;
  let isClosed = false;
  const start = async (): Promise<Runner> => {
    confinement ??= findConfinement();
    const prefix = await confinement;
    if (isClosed) throw new ToolFailed('The service is shutting down.');
    const cpuSeconds = Math.ceil((CORES * (limits.startMs + limits.wallMs)) / 1000);
    const runner = spawnRunner(prefix, cpuSeconds);
    running.add(runner);
    void runner.ended.finally(() => running.delete(runner));
    return runner;
  };
  return {
    start,
    snapshot() {
      snapshot ??= makeSnapshot(start, limits).catch((error: unknown) => {
        snapshot = null;
        throw error;
      });
      return snapshot;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const open = [...running];
      for (const runner of open) runner.kill();
      await Promise.all(open.map((runner) => runner.ended));
    },
  };
}

async function makeSnapshot(
  start: () => Promise<Runner>,
  limits: SandboxLimits,
): Promise<Uint8Array> {
  const runner = await start();
  const timer = setTimeout(() => runner.kill(), limits.startMs);
  try {
    const job = { pyodideUrl: PYODIDE_URL, code: null, snapshotBytes: 0, files: [], limits };
    for (const bytes of encodeJob(job, null, [])) runner.stdin.write(bytes);
    for await (const frame of readFrames(runner.stdout, MAX_SNAPSHOT_BYTES))
      if (frame.kind === 'snapshot') return frame.payload;
  } catch (error) {
    throw new ToolFailed('Python could not be started.', { cause: error });
  } finally {
    clearTimeout(timer);
    runner.kill();
  }
  throw new ToolFailed(`Python could not be started: ${await runner.ended}`);
}
