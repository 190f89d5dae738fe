import { Piscina } from 'piscina';
import { GiveUp } from '#src/platform/errors.ts';
import { openGate } from '#src/platform/gate.ts';
import type { ParseOutcome } from './parse-thread.ts';
import type { FileToParse, ParsedFile } from './parsed-file.ts';

export interface ParserLimits {
  threads: number;
  /** From the moment a thread takes the file; waiting for a thread does not count. */
  timeoutMs: number;
  /** JavaScript heap of one thread. */
  memoryMb: number;
  /** Larger files are refused unread: their bytes live outside of the heap limit. */
  maxFileBytes: number;
}

const DEFAULT_LIMITS: ParserLimits = {
  threads: 2,
  timeoutMs: 60_000,
  memoryMb: 512,
  maxFileBytes: 64 * 1024 * 1024,
};
/** Idle threads stay for the next file of a stream of files, and end soon after the last. */
const IDLE_MS = 5_000;

/** Parses files in threads of their own: one that hangs or eats memory fails alone, with a reason. */
export interface ParserPool extends AsyncDisposable {
  readonly limits: ParserLimits;
  /**
   * @throws GiveUp with the reason when the file cannot be parsed within the limits
   * @throws the signal's reason when it is aborted
   */
  parse(file: FileToParse & { signal: AbortSignal }): Promise<ParsedFile>;
}

/**
 * Opens a pool of parser threads; threads start with the first file.
 * @param entry the thread's module and the name of its function; tests pass ones that misbehave
 */
export function openParserPool(
  overrides: Partial<ParserLimits> = {},
  entry: { filename: string; name: string } = {
    filename: new URL('./parse-thread.ts', import.meta.url).href,
    name: 'parseInThread',
  },
): ParserPool {
  const limits = { ...DEFAULT_LIMITS, ...overrides };
  const threads = new Piscina<FileToParse, ParseOutcome>({
    ...entry,
    minThreads: 0,
    maxThreads: limits.threads,
    idleTimeout: IDLE_MS,
    // An idle thread stays awake: what a file has left behind fails then and there, and not in the next one's time.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
  });
  // A thread that fails when its file is done with is replaced; without a listener it would end the process.
  threads.on('error', () => undefined);
  const gate = openGate(limits.threads);
  return {
    limits,
    async parse({ signal, ...file }) {
      const { name, bytes } = file;
      if (bytes.length > limits.maxFileBytes) throw tooLarge(name, bytes.length, limits);
      const leave = await gate();
      try {
        signal.throwIfAborted();
        const outcome = await runWithin(threads, file, limits, signal);
        if (outcome.kind === 'given-up') throw new GiveUp(outcome.reason);
        return outcome.file;
      } finally {
        leave();
      }
    },
    async [Symbol.asyncDispose]() {
      await threads.destroy();
    },
  };
}

/** The reason for a file above the size limit; callers that know the size use it before reading. */
export function tooLarge(name: string, bytes: number, limits: ParserLimits): GiveUp {
  const megabytes = (count: number): number => Math.ceil(count / 1024 / 1024);
  return new GiveUp(
    `${name} has ${megabytes(bytes)} MB; the limit is ${megabytes(limits.maxFileBytes)} MB. Split it.`,
  );
}

async function runWithin(
  threads: Piscina<FileToParse, ParseOutcome>,
  file: FileToParse,
  limits: ParserLimits,
  signal: AbortSignal,
): Promise<ParseOutcome> {
  const deadline = AbortSignal.timeout(limits.timeoutMs);
  try {
    return await threads.run(file, { signal: AbortSignal.any([deadline, signal]) });
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) {
      throw new GiveUp(
        `${file.name} was not parsed within ${limits.timeoutMs / 1000} s; it may be damaged or too complex.`,
        { cause: error },
      );
    }
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      throw new GiveUp(
        `${file.name} needs more than ${limits.memoryMb} MB to be parsed. Split it.`,
        { cause: error },
      );
    }
    const detail = error instanceof Error ? error.message : String(error);
    throw new GiveUp(`${file.name} ended its parser thread: ${detail}`, { cause: error });
  }
}
