import { ToolFailed } from '#src/chat/tools/tool.ts';
import { untilAborted } from '#src/platform/deadline.ts';
import { openFairGate } from '#src/platform/fair-gate.ts';
import { runJob } from './run-job.ts';
import type { PythonJob, PythonOutcome, PythonText } from './python-job.ts';
import { createRunnerPool } from './runner-pool.ts';
import type { Runner } from './spawn-runner.ts';
import { DEFAULT_LIMITS, type SandboxLimits } from './sandbox-limits.ts';

export interface PythonSandbox {
  readonly limits: SandboxLimits;
  /**
   * Runs code in its own process, which is gone when this ends, however it ends.
   * @param job `owner`: whose program it is, such as a workspace; owners take turns
   * @returns text as the code prints it, then the outcome
   * @throws ToolFailed when the sandbox itself fails or is busy, the signal's reason when it aborts
   */
  run(job: PythonJob & { owner: string }): AsyncGenerator<PythonText, PythonOutcome>;
}

export interface PythonSandboxOptions {
  /** Maximum number of concurrent runs. One owner has at most one fewer, so that another's need not wait for them. */
  concurrency: number;
  limits?: Partial<SandboxLimits>;
}

/** Maximum number of waiting runs of one owner, for each run that the sandbox has at once. */
const WAITING_PER_RUN = 8;

/** Starts nothing until the first run; closing it ends the runs in progress. */
export function openPythonSandbox({
  concurrency,
  limits: overrides = {},
}: PythonSandboxOptions): PythonSandbox & AsyncDisposable {
  const limits = { ...DEFAULT_LIMITS, ...overrides };
  const runners = createRunnerPool(limits);
  const gate = openFairGate<string>({ places: concurrency });
  const closing = new AbortController();
  const present = new Map<string, number>();
  return {
    limits,
    async *run({ code, files, owner, signal: caller }) {
      const own = present.get(owner) ?? 0;
      if (own >= concurrency * (1 + WAITING_PER_RUN))
        throw new ToolFailed('Too many Python programs are waiting. Try again in a minute.');
      present.set(owner, own + 1);
      const signal = AbortSignal.any([caller, closing.signal]);
      try {
        const leave = await gate.enter(owner, { signal });
        try {
          const snapshot = await untilAborted(runners.snapshot(), signal);
          const start = (): Promise<Runner> => runners.start();
          return yield* runJob({ code, files, signal, limits, snapshot, start });
        } finally {
          leave();
        }
      } finally {
        const left = (present.get(owner) ?? 0) - 1;
        if (left > 0) present.set(owner, left);
        else present.delete(owner);
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new ToolFailed('The service is shutting down.'));
      await runners[Symbol.asyncDispose]();
    },
  };
}
