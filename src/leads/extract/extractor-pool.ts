import { GiveUp } from '#src/platform/errors.ts';
import { LostTask } from '#src/platform/guarded-process.ts';
import {
  openGuardedProcesses,
  type TaskEntry,
  type TaskLimits,
} from '#src/platform/guarded-processes.ts';
import type { ExtractOutcome } from './extract-task.ts';
import type { ExtractorPool, PageToExtract } from './extracted-page.ts';

const DEFAULT_LIMITS: TaskLimits = {
  processes: 3,
  processesOfOwner: 2,
  taskMs: 2_000,
  waitMs: 30_000,
  memoryMb: 512,
};
/** The rest of a page is not read, so it need not be copied to the process. */
const MAX_HTML_LENGTH = 4 * 1024 * 1024;

/**
 * Opens the processes that extract pages; they start with the first page.
 * @param entry the process's module and the name of its function; tests pass misbehaving ones
 */
export function openExtractorPool(
  overrides: Partial<TaskLimits> = {},
  entry: TaskEntry = {
    filename: new URL('./extract-task.ts', import.meta.url).href,
    name: 'extractTask',
  },
): ExtractorPool {
  const limits = { ...DEFAULT_LIMITS, ...overrides };
  const processes = openGuardedProcesses<PageToExtract, ExtractOutcome>(limits, entry);
  return {
    async extract({ owner, signal, html, ...rest }) {
      const page = { ...rest, html: html.slice(0, MAX_HTML_LENGTH) };
      const outcome = await processes.run(page, { owner, signal }).catch((error: unknown) => {
        if (error instanceof LostTask) throw new GiveUp(whyLost(error, limits), { cause: error });
        throw error;
      });
      if (outcome.kind === 'given-up') throw new GiveUp(outcome.reason);
      return outcome.page;
    },
    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
  };
}

function whyLost({ end, message }: LostTask, limits: TaskLimits): string {
  if (end === 'overtime')
    return `The page was not read within ${limits.taskMs / 1000} s; it is too complex.`;
  if (end === 'memory') return `The page needs more than ${limits.memoryMb} MB to be read.`;
  return `The page crashed its process: ${message}`;
}
