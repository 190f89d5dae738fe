import { Piscina } from 'piscina';
import type { Logger } from 'pino';
import { Problem } from '#src/platform/errors.ts';
import type { IncomingContext } from './incoming-document.ts';
import { type BodyForm, readDocuments, type ReadItem } from './read-documents.ts';
import type { ReadResult, ReadTask } from './read-thread.ts';

/**
 * Up to this size, parsing inline takes about as long as transferring to a thread. Parsing a megabyte of small values
 * would block the event loop for 300 ms.
 */
const MAX_INLINE_BYTES = 32_768;
const THREADS = 2;
const TIMEOUT_MS = 60_000;
const MEMORY_LIMIT_MB = 1_024;

/** Parses posted documents of any size without blocking the event loop. */
export interface DocumentReader {
  /** @param bytes detached afterwards if large. @throws Problem when the body itself is invalid */
  read(bytes: Buffer, form: BodyForm, context: IncomingContext): Promise<ReadItem[]>;
  close(): Promise<void>;
}

/** Uses its own threads: the index threads have minutes of work queued when many documents arrive. */
export function openDocumentReader(log: Logger): DocumentReader {
  const pool = new Piscina({
    filename: new URL('./read-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  });
  // The pool replaces a thread that dies between tasks; without a listener the error would end the process.
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
    // Both sides are our own code: see read-thread.ts.
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

/** Copies a buffer that shares its memory with others. */
function ownBuffer({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
