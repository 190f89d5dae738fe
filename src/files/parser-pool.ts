import { GiveUp } from '#src/platform/errors.ts';
import { LostTask } from '#src/platform/guarded-process.ts';
import {
  openGuardedProcesses,
  type TaskEntry,
  type TaskLimits,
  type TaskOptions,
} from '#src/platform/guarded-processes.ts';
import type { ParseOutcome } from './parse-task.ts';
import type { FileToParse, ParsedFile } from './parsed-file.ts';

export interface ParserLimits extends TaskLimits {
  /** Larger files are rejected unread: their bytes are outside the heap limit. */
  maxFileBytes: number;
}

const DEFAULT_LIMITS: ParserLimits = {
  processes: 3,
  processesOfOwner: 2,
  taskMs: 60_000,
  waitMs: 180_000,
  memoryMb: 512,
  maxFileBytes: 64 * 1024 * 1024,
};

/** Parses files in separate processes, so that a file that hangs or exhausts memory fails alone, with a reason. */
export interface ParserPool extends AsyncDisposable {
  readonly limits: ParserLimits;
  /**
   * @throws GiveUp with the reason when the file cannot be parsed within the limits
   * @throws the signal's reason when it is aborted
   */
  parse(file: FileToParse & TaskOptions): Promise<ParsedFile>;
}

/**
 * Opens a pool of parser processes; they start with the first file.
 * @param entry module of the process and name of its function; tests pass ones that misbehave
 */
export function openParserPool(
  overrides: Partial<ParserLimits> = {},
  entry: TaskEntry = {
    filename: new URL('./parse-task.ts', import.meta.url).href,
    name: 'parseTask',
  },
): ParserPool {
  const limits = { ...DEFAULT_LIMITS, ...overrides };
  const processes = openGuardedProcesses<FileToParse, ParseOutcome>(limits, entry);
  return {
    limits,
    async parse({ owner, signal, ...file }) {
      const { name, bytes } = file;
      if (bytes.length > limits.maxFileBytes) throw tooLarge(name, bytes.length, limits);
      const outcome = await processes.run(file, { owner, signal }).catch((error: unknown) => {
        if (error instanceof LostTask)
          throw new GiveUp(whyLost(name, error, limits), { cause: error });
        throw error;
      });
      if (outcome.kind === 'given-up') throw new GiveUp(outcome.reason);
      return outcome.file;
    },
    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
  };
}

/** The error for a file above the size limit; callers that know the size check it before reading. */
export function tooLarge(name: string, bytes: number, limits: ParserLimits): GiveUp {
  const megabytes = (count: number): number => Math.ceil(count / 1024 / 1024);
  return new GiveUp(
    `${name} has ${megabytes(bytes)} MB; the limit is ${megabytes(limits.maxFileBytes)} MB. Split it.`,
  );
}

function whyLost(name: string, { end, message }: LostTask, limits: ParserLimits): string {
  if (end === 'overtime')
    return `${name} was not parsed within ${limits.taskMs / 1000} s; it may be damaged or too complex.`;
  if (end === 'memory')
    return `${name} needs more than ${limits.memoryMb} MB to be parsed. Split it.`;
  return `${name} ended its parser process: ${message}`;
}
