import { Piscina } from 'piscina';
import type { Logger } from 'pino';
import { Problem } from '#src/platform/errors.ts';
import type { IncomingContext } from './incoming-document.ts';
import { type BodyForm, readDocuments, type ReadItem } from './read-documents.ts';
import type { ReadResult, ReadTask } from './read-thread.ts';

/** Up to here, reading takes about as long as handing it over. A megabyte of small values would hold the event loop for 300 ms. */
const MAX_INLINE_BYTES = 32_768;
const THREADS = 2;
const TIMEOUT_MS = 60_000;
const MEMORY_LIMIT_MB = 1_024;

/** Reads posted documents without holding the event loop, whatever their size. */
export interface DocumentReader {
  /** @param bytes gone afterwards when there are many. @throws Problem when the body itself is wrong */
  read(bytes: Buffer, form: BodyForm, context: IncomingContext): Promise<ReadItem[]>;
  close(): Promise<void>;
}

/** Threads of their own: those of indexing have minutes of work before them when documents come in masses. */
export function openDocumentReader(log: Logger): DocumentReader {
  const pool = new Piscina({
    filename: new URL('./read-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  });
  // A thread that dies between tasks is replaced; without a listener it would end the process.
  pool.on('error', (error: unknown) => log.error({ error: String(error) }, 'a read thread died'));
  return {
    async read(bytes, form, context) {
      if (bytes.length <= MAX_INLINE_BYTES) return readDocuments(bytes, form, context);
      const result = await readInThread(pool, { bytes, form, context });
      if ('refused' in result) throw new Problem(result.refused.code, result.refused.message);
      return result.items;
    },
    close: () => pool.destroy(),
  };
}

async function readInThread(pool: Piscina, task: ReadTask): Promise<ReadResult> {
  try {
    // Both sides are ours: read-thread.ts.
    return (await pool.run(task, {
      name: 'read',
      transferList: ownBuffer(task.bytes),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })) as ReadResult;
  } catch (error) {
    throw new Problem(
      'PAYLOAD_TOO_LARGE',
      'The body takes more time or memory to read than a request may have. Send fewer documents in one request.',
      { cause: error },
    );
  }
}

/** A buffer that shares its memory with others is copied. */
function ownBuffer({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
