import { Piscina } from 'piscina';
import type { Logger } from 'pino';
import { openGate, throughGate } from '#src/platform/gate.ts';
import type { Embedder } from './embed.ts';
import type { embedTexts, prepareDocuments } from './index-thread.ts';
import type { DocumentText, Prepared } from './prepare-document.ts';

const TASK_TIMEOUT_MS = 60_000;
const MEMORY_LIMIT_MB = 1_024;
const TEXTS_PER_TASK = 256;
/** Documents with more text keep a thread for seconds: such tasks leave one thread to the others. */
const LARGE_TASK_CHARACTERS = 1_000_000;

/** The threads that do the CPU-heavy half of indexing, so that the event loop stays free to answer. */
export interface IndexThreads {
  /** One answer per document, in order. Rejects when a task ran out of time or memory. */
  prepare(documents: DocumentText[], signal: AbortSignal): Promise<Prepared[]>;
  /** Vectors of the builtin embedder. */
  embed(texts: readonly string[], dimensions: number, signal: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** Threads start when the first task comes and end after a while of idleness. */
export function openIndexThreads(threads: number, log: Logger): IndexThreads {
  const pool = new Piscina({
    filename: new URL('./index-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  });
  // A thread that dies between tasks is replaced; without a listener it would end the process.
  pool.on('error', (error: unknown) => log.error({ error: String(error) }, 'an index thread died'));
  const run = async <Task, Result>(
    name: string,
    task: Task,
    signal: AbortSignal,
  ): Promise<Result> =>
    // The name and the types belong together: both come from index-thread.ts.
    (await pool.run(task, {
      name,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TASK_TIMEOUT_MS)]),
    })) as Result;
  const enterWithLargeTask = openGate(Math.max(1, threads - 1));
  const prepare = (documents: DocumentText[], signal: AbortSignal) =>
    run<Parameters<typeof prepareDocuments>[0], ReturnType<typeof prepareDocuments>>(
      'prepareDocuments',
      documents,
      signal,
    );
  const embedSome = async (texts: readonly string[], dimensions: number, signal: AbortSignal) => {
    const vectors = await run<Parameters<typeof embedTexts>[0], ReturnType<typeof embedTexts>>(
      'embedTexts',
      { texts, dimensions },
      signal,
    );
    return texts.map((_, index) => vectors.subarray(index * dimensions, (index + 1) * dimensions));
  };
  return {
    prepare: (documents, signal) =>
      charactersOf(documents) > LARGE_TASK_CHARACTERS
        ? throughGate(enterWithLargeTask, () => prepare(documents, signal))
        : prepare(documents, signal),
    async embed(texts, dimensions, signal) {
      // As many of one caller at once as there are threads: the tasks of others come in between.
      const enter = openGate(threads);
      const parts = [];
      for (let start = 0; start < texts.length; start += TEXTS_PER_TASK) {
        const part = texts.slice(start, start + TEXTS_PER_TASK);
        parts.push(throughGate(enter, () => embedSome(part, dimensions, signal)));
      }
      return (await Promise.all(parts)).flat();
    },
    close: () => pool.destroy(),
  };
}

/** The builtin embedder with its document side moved to the threads. */
export function embedInThreads(embedder: Embedder, threads: IndexThreads): Embedder {
  return {
    model: embedder.model,
    dimensions: embedder.dimensions,
    denseWeight: embedder.denseWeight,
    noiseFloor: embedder.noiseFloor,
    embedDocuments: (texts, signal) => threads.embed(texts, embedder.dimensions, signal),
    embedQuery: (text, idf, signal) => embedder.embedQuery(text, idf, signal),
    close: () => embedder.close(),
  };
}

function charactersOf(documents: readonly DocumentText[]): number {
  return documents.reduce(
    (sum, { sections }) => sections.reduce((part, { text }) => part + text.length, sum),
    0,
  );
}
