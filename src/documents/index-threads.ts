import { Piscina } from 'piscina';
import type { Logger } from 'pino';
import type { Embedder } from './embed.ts';
import type { embedTexts, prepareDocuments } from './index-thread.ts';
import type { DocumentText, Prepared } from './prepare-document.ts';

const TASK_TIMEOUT_MS = 60_000;
const MEMORY_LIMIT_MB = 1_024;
const TEXTS_PER_TASK = 256;

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
      run<Parameters<typeof prepareDocuments>[0], ReturnType<typeof prepareDocuments>>(
        'prepareDocuments',
        documents,
        signal,
      ),
    embed: async (texts, dimensions, signal) => {
      const parts = [];
      for (let start = 0; start < texts.length; start += TEXTS_PER_TASK) {
        parts.push(embedSome(texts.slice(start, start + TEXTS_PER_TASK), dimensions, signal));
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
