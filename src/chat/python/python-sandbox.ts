import { ToolFailed } from '#src/chat/tools/tool.ts';
import { untilAborted } from '#src/platform/deadline.ts';
import { openGate } from '#src/platform/gate.ts';
import { runJob } from './run-job.ts';
import type { PythonJob, PythonOutcome, PythonText } from './python-job.ts';
import { createRunnerPool } from './runner-pool.ts';
import type { Runner } from './spawn-runner.ts';
import { DEFAULT_LIMITS, type SandboxLimits } from './sandbox-limits.ts';

export interface PythonSandbox {
  readonly limits: SandboxLimits;
  /**
   * Runs code in its own process, which is gone when this ends, however it ends.
   * @returns text as the code prints it, then the outcome
   * @throws ToolFailed when the sandbox itself fails or is busy, the signal's reason when it aborts
   */
  run(job: PythonJob): AsyncGenerator<PythonText, PythonOutcome>;
}

export interface PythonSandboxOptions {
  /** Maximum number of concurrent runs. */
  concurrency: number;
  limits?: Partial<SandboxLimits>;
}

/** Maximum number of waiting runs per running one. */
const WAITING_PER_RUN = 8;

/** Starts nothing until the first run; closing it ends the runs in progress. */
export function openPythonSandbox({
  concurrency,
  limits: overrides = {},
}: PythonSandboxOptions): PythonSandbox & AsyncDisposable {
  const limits = { ...DEFAULT_LIMITS, ...overrides };
  const runners = createRunnerPool(limits);
  const gate = openGate(concurrency);
  const closing = new AbortController();
  let present = 0;
  return {
    limits,
    async *run({ code, files, signal: caller }) {
      if (present >= concurrency * (1 + WAITING_PER_RUN))
        throw new ToolFailed('Too many Python programs are waiting. Try again in a minute.');
      present += 1;
      const signal = AbortSignal.any([caller, closing.signal]);
      try {
        const leave = await takeTurn(gate, signal);
        try {
          const snapshot = await untilAborted(runners.snapshot(), signal);
          const start = (): Promise<Runner> => runners.start();
          return yield* runJob({ code, files, signal, limits, snapshot, start });
        } finally {
          leave();
        }
      } finally {
        present -= 1;
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new ToolFailed('The service is shutting down.'));
      await runners[Symbol.asyncDispose]();
    },
  };
}

async function takeTurn(gate: () => Promise<() => void>, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted();
  return untilAborted(gate(), signal, (late) => late());
}
