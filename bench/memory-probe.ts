/** Memory of a process, right after a garbage collection. */
export interface MemoryReport {
  rssMb: number;
  heapMb: number;
  /** Buffers and the embedded database. */
  externalMb: number;
}

const MB = 1024 * 1024;

/** Preloaded into a process that a bench starts with `--expose-gc`: answers every message with a report. */
function answerWithMemory(): void {
  // The process's threads preload this too; they have no parent to answer.
  if (process.send === undefined) return;
  process.on('message', () => {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    process.send?.({
      rssMb: rss / MB,
      heapMb: heapUsed / MB,
      externalMb: external / MB,
    } satisfies MemoryReport);
  });
  process.channel?.unref();
}

answerWithMemory();
