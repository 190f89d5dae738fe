import { Piscina } from 'piscina';
import { GiveUp } from '#src/platform/errors.ts';
import { openGate } from '#src/platform/gate.ts';
import { newThreadClock, type ThreadClock, threadTimeUsed } from '#src/platform/thread-clock.ts';
import type { ExtractOutcome, ExtractTask } from './extract-thread.ts';
import type { ExtractorPool, PageToExtract } from './extracted-page.ts';

export interface ExtractorLimits {
  threads: number;
  /** Processor time of one page, from the moment a thread begins with it. */
  pageMs: number;
  /** By the clock, with the start of the thread and whatever the machine does besides. */
  waitMs: number;
  /** JavaScript heap of one thread. */
  memoryMb: number;
}

const DEFAULT_LIMITS: ExtractorLimits = {
  threads: 2,
  pageMs: 2_000,
  waitMs: 30_000,
  memoryMb: 512,
};
/** Idle threads stay for the next page of a site, and end soon after the last. */
const IDLE_MS = 5_000;
const LOOK_EVERY_MS = 100;
/** More of a page is not read; it need not be copied into the thread. */
const MAX_HTML_LENGTH = 4 * 1024 * 1024;

/**
 * Opens the threads that extract pages; they start with the first page.
 * @param entry the thread's module and the name of its function; tests pass ones that misbehave
 */
export function openExtractorPool(
  overrides: Partial<ExtractorLimits> = {},
  entry: { filename: string; name: string } = {
    filename: new URL('./extract-thread.ts', import.meta.url).href,
    name: 'extractInThread',
  },
): ExtractorPool {
  const limits = { ...DEFAULT_LIMITS, ...overrides };
  const threads = new Piscina<ExtractTask, ExtractOutcome>({
    ...entry,
    minThreads: 0,
    maxThreads: limits.threads,
    idleTimeout: IDLE_MS,
    // An idle thread stays awake: what a page has left behind fails then and there, and not in the next one's time.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
  });
  // A thread that fails when its page is done with is replaced; without a listener it would end the process.
  threads.on('error', () => undefined);
  const gate = openGate(limits.threads);
  return {
    async extract({ signal, url, html, kind }) {
      const leave = await gate();
      try {
        signal.throwIfAborted();
        const page = { url, html: html.slice(0, MAX_HTML_LENGTH), kind };
        const outcome = await extractWithin(threads, page, limits, signal);
        if (outcome.kind === 'given-up') throw new GiveUp(outcome.reason);
        return outcome.page;
      } finally {
        leave();
      }
    },
    async [Symbol.asyncDispose]() {
      await threads.destroy();
    },
  };
}

async function extractWithin(
  threads: Piscina<ExtractTask, ExtractOutcome>,
  page: PageToExtract,
  limits: ExtractorLimits,
  signal: AbortSignal,
): Promise<ExtractOutcome> {
  const clock = newThreadClock();
  using overtime = watchOvertime(threads, clock, limits);
  try {
    return await threads.run(
      { page, clock },
      { signal: AbortSignal.any([overtime.signal, signal]) },
    );
  } catch (error) {
    signal.throwIfAborted();
    throw new GiveUp(whyLost(error, overtime.signal, limits), { cause: error });
  }
}

function whyLost(error: unknown, overtime: AbortSignal, limits: ExtractorLimits): string {
  if (overtime.aborted) {
    return `The page was not read within ${limits.pageMs / 1000} s; it is too complex.`;
  }
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return `The page needs more than ${limits.memoryMb} MB to be read.`;
  }
  return `The page ended its thread: ${error instanceof Error ? error.message : String(error)}`;
}

/** A signal that is aborted when the task on the clock has used its time. */
function watchOvertime(
  threads: Piscina<ExtractTask, ExtractOutcome>,
  clock: ThreadClock,
  { pageMs, waitMs }: ExtractorLimits,
): Disposable & { signal: AbortSignal } {
  const stop = new AbortController();
  const startedMs = performance.now();
  const look = async (): Promise<void> => {
    if (performance.now() - startedMs > waitMs) stop.abort();
    else if ((await threadTimeUsed(clock, threads.threads)) > pageMs) stop.abort();
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => stop.abort(error));
  }, LOOK_EVERY_MS);
  return { signal: stop.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
