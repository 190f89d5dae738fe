import { Piscina } from 'piscina';
import type { Logger } from 'pino';
import { openGate, throughGate } from '#src/platform/gate.ts';
import type { Embedder } from './embed.ts';
import type { embedTexts, prepareDocuments } from './index-thread.ts';
import type { cutDocument, DocumentText, findTerms, Prepared } from './prepare-document.ts';
import { patient, TaskQueueWithPatience } from './task-queue.ts';
import type { BasisTask, trainBasis } from './train-basis.ts';

const TASK_TIMEOUT_MS = 60_000;
const MEMORY_LIMIT_MB = 1_024;
/** A few tens of milliseconds of work: the longest that a small document waits for a piece of a large one. */
const TEXTS_PER_TASK = 64;
/** More text than a slice holds comes from a large document that takes seconds, so it is processed in pieces. */
const LARGE_CHARACTERS = 300_000;

/** Threads for the CPU-heavy half of indexing and for training, which would block the event loop. */
export interface IndexThreads {
  /** One result per document, in order. Rejects when a task runs out of time or memory. */
  prepare(documents: DocumentText[], signal: AbortSignal): Promise<Prepared[]>;
  /** Vectors of the builtin embedder. */
  embed(texts: readonly string[], dimensions: number, signal: AbortSignal): Promise<Float32Array[]>;
  /** An encoded basis: a second or two for ten thousand texts. Waits behind everything else. */
  trainBasis(task: BasisTask, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** What each thread is told when it starts. */
export interface IndexThreadData {
  /** See `lowerThreadPriority`; 0 leaves the priority as it is. */
  niceness: number;
}

/**
 * Threads start with the first task, and stop when idle.
 * @param niceness above 0, other threads of the machine go first
 */
export function openIndexThreads(threads: number, log: Logger, niceness = 0): IndexThreads {
  const pool = new Piscina({
    filename: new URL('./index-thread.ts', import.meta.url).href,
    workerData: { niceness } satisfies IndexThreadData,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
    taskQueue: new TaskQueueWithPatience(),
  });
  // The pool replaces a thread that dies between tasks; without a listener the error would end the process.
  pool.on('error', (error: unknown) => log.error({ error: String(error) }, 'an index thread died'));
  const run: RunTask = async (name, task, signal) =>
    // Names and types match: both come from index-thread.ts.
    (await pool.run(task, {
      name,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TASK_TIMEOUT_MS)]),
    })) as never;
  // Cutting a very large text is a single task of about a second, so one thread is kept free for others.
  const enterWithLargeText = openGate(Math.max(1, threads - 1));
  const prepareLarge = async (document: DocumentText, signal: AbortSignal): Promise<Prepared> => {
    const cut = await throughGate(enterWithLargeText, () =>
      run('cutDocument', patient(document), signal),
    );
    if ('failure' in cut) return cut;
    const { workspaceId, dimensions } = document;
    const chunks = await inPieces(cut.chunks, threads, async (some) => {
      const indexedTexts = some.map(({ indexedText }) => indexedText);
      const terms = await run(
        'findTerms',
        patient({ workspaceId, dimensions, indexedTexts }),
        signal,
      );
      return terms.flatMap((own, n) => (some[n] ? { ...some[n], ...own } : []));
    });
    return { chunks };
  };
  return {
    async prepare(documents, signal) {
      if (!isLarge(documents.map(({ sectionsJson }) => sectionsJson)))
        return run('prepareDocuments', documents, signal);
      const prepared: Prepared[] = [];
      for (const document of documents) prepared.push(await prepareLarge(document, signal));
      return prepared;
    },
    embed(texts, dimensions, signal) {
      const queued = isLarge(texts) ? patient : same;
      return inPieces(texts, threads, async (some) => {
        const vectors = await run('embedTexts', queued({ texts: some, dimensions }), signal);
        return some.map((_, n) => vectors.subarray(n * dimensions, (n + 1) * dimensions));
      });
    },
    trainBasis: (task, signal) => run('trainBasis', patient(task), signal),
    close: () => pool.destroy(),
  };
}

interface ThreadTasks {
  prepareDocuments: typeof prepareDocuments;
  cutDocument: typeof cutDocument;
  findTerms: typeof findTerms;
  embedTexts: typeof embedTexts;
  trainBasis: typeof trainBasis;
}

type RunTask = <Name extends keyof ThreadTasks>(
  name: Name,
  task: Parameters<ThreadTasks[Name]>[0],
  signal: AbortSignal,
) => Promise<ReturnType<ThreadTasks[Name]>>;

/** Queues only as many pieces of one caller as there are threads, so that tasks of others run in between. */
async function inPieces<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (some: readonly Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const enter = openGate(width);
  const parts: Promise<Result[]>[] = [];
  for (let start = 0; start < items.length; start += TEXTS_PER_TASK) {
    const some = items.slice(start, start + TEXTS_PER_TASK);
    parts.push(throughGate(enter, () => work(some)));
  }
  return (await Promise.all(parts)).flat();
}

/** The builtin embedder, with document embedding moved to the threads. */
export function embedInThreads(embedder: Embedder, threads: IndexThreads): Embedder {
  return {
    model: embedder.model,
    dimensions: embedder.dimensions,
    denseWeight: embedder.denseWeight,
    noiseFloor: embedder.noiseFloor,
    isBuiltin: true,
    embedDocuments: (texts, signal) => threads.embed(texts, embedder.dimensions, signal),
    embedQuery: (text, idf, signal) => embedder.embedQuery(text, idf, signal),
    close: () => embedder.close(),
  };
}

function isLarge(texts: readonly string[]): boolean {
  return texts.reduce((sum, { length }) => sum + length, 0) > LARGE_CHARACTERS;
}

const same = <T>(task: T): T => task;
