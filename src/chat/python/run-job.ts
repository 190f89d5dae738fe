import { z } from 'zod';
import { ToolFailed } from '#src/chat/tools/tool.ts';
import { safeFileName } from '#src/files/safe-file-name.ts';
import { decodeFile, readFrames } from './frames.ts';
import type { PythonFile, PythonJob, PythonOutcome, PythonText } from './python-job.ts';
import { createPrintedText, type PrintedText } from './printed-text.ts';
import { encodeJob } from './runner-job.ts';
import { type SandboxLimits, sizeOf } from './sandbox-limits.ts';
import { PYODIDE_URL, type Runner } from './spawn-runner.ts';
import { watchMemory } from './watch-memory.ts';

/** A frame may carry only one byte after its header. */
const MAX_FRAMING = 6;
/** Allowance for names of files, notices, the failure. */
const FRAMING_SPARE_BYTES = 1024 * 1024;
const MAX_FAILURE_CHARACTERS = 8_000;
const doneSchema = z.object({ failure: z.string().nullable() });

interface JobToRun extends PythonJob {
  limits: SandboxLimits;
  snapshot: Uint8Array;
  start(): Promise<Runner>;
}

/** Runs one job in its own process, enforces the limits, and ends the process. */
export async function* runJob(job: JobToRun): AsyncGenerator<PythonText, PythonOutcome> {
  const { limits, signal } = job;
  const runner = await job.start();
  const run = new Run(runner);
  const memory = watchMemory(runner.pid, limits.processBytes, () =>
    run.end(`The code used more than ${sizeOf(limits.processBytes)} of memory and was ended.`),
  );
  const onAbort = (): void => run.end('aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    // Keep reading while nobody takes the text: the code must not wait for a slow reader, and its output is bounded.
    const outcome = run.follow(job);
    yield* run.printed.take();
    return await outcome;
  } finally {
    signal.removeEventListener('abort', onAbort);
    run.end('left');
    memory.stop();
    await runner.ended;
    signal.throwIfAborted();
  }
}

class Run {
  readonly printed: PrintedText = createPrintedText();
  readonly #runner: Runner;
  readonly #files: PythonFile[] = [];
  #timer: NodeJS.Timeout | null = null;
  #hasStarted = false;
  /** Why it was ended from outside; the first reason counts. */
  #reason: string | null = null;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  end(reason: string): void {
    this.#reason ??= reason;
    if (this.#timer) clearTimeout(this.#timer);
    this.#runner.kill();
  }

  /** Never causes an unhandled rejection: its failure is awaited after the text. */
  follow(job: JobToRun): Promise<PythonOutcome> {
    const outcome = this.#follow(job).finally(() => this.printed.close());
    outcome.catch(() => undefined);
    return outcome;
  }

  async #follow(job: JobToRun): Promise<PythonOutcome> {
    this.#endAfter(job.limits.startMs, 'Python did not start in time.');
    sendJob(this.#runner, job);
    const failure = await this.#readAll(job.limits).catch((error: unknown) => {
      this.end(error instanceof Error ? error.message : String(error));
      return undefined;
    });
    if (failure !== undefined) return { failure, files: this.#files };
    const how = await this.#runner.ended;
    if (!this.#hasStarted)
      throw new ToolFailed(this.#reason ?? `Python could not be started: ${how}`);
    // Its files may be incomplete.
    return { failure: this.#reason ?? crashOf(how), files: [] };
  }

  /** @returns the failure that the runner reports, undefined when the runner does not finish */
  async #readAll(limits: SandboxLimits): Promise<string | null | undefined> {
    const maxBytes = MAX_FRAMING * limits.outputBytes + limits.returnedBytes + FRAMING_SPARE_BYTES;
    for await (const { kind, payload } of readFrames(this.#runner.stdout, maxBytes)) {
      switch (kind) {
        case 'started':
          if (this.#hasStarted) break;
          this.#hasStarted = true;
          this.#endAfter(
            limits.wallMs,
            `The code ran longer than ${limits.wallMs / 1000} s and was ended.`,
          );
          break;
        case 'stdout':
        case 'stderr':
          this.printed.add(kind, payload);
          break;
        case 'file':
          if (this.#files.length < limits.returnedFiles) this.#files.push(fileOf(payload));
          break;
        case 'done':
          return failureOf(payload);
        case 'snapshot':
          break;
      }
    }
    return undefined;
  }

  #endAfter(ms: number, reason: string): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(reason), ms);
  }
}

function sendJob({ stdin }: Runner, { code, files, limits, snapshot }: JobToRun): void {
  const named = files.map(({ name, bytes }) => ({ name, byteCount: bytes.length }));
  const job = {
    pyodideUrl: PYODIDE_URL,
    code,
    snapshotBytes: snapshot.length,
    files: named,
    limits,
  };
  const contents = files.map(({ bytes }) => bytes);
  for (const bytes of encodeJob(job, snapshot, contents)) stdin.write(bytes);
}

/** The name was chosen by the code, so it is made safe here. */
function fileOf(payload: Buffer): PythonFile {
  const { name, bytes } = decodeFile(payload);
  return { name: safeFileName(name) || 'file', bytes: Buffer.from(bytes) };
}

function failureOf(payload: Buffer): string | null {
  const { failure } = doneSchema.parse(JSON.parse(payload.toString()));
  return failure === null ? null : cleanText(failure.slice(0, MAX_FAILURE_CHARACTERS));
}

/** Without characters that a database or a JSON parser rejects. */
function cleanText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

function crashOf(how: string): string {
  return `The Python process ended by itself, most often for lack of memory (${how.slice(0, 80)}).`;
}
