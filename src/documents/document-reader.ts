import { Piscina } from 'piscina';
import type { Logger } from 'pino';
import type { WorkspaceId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import { openFairGate } from '#src/platform/fair-gate.ts';
import type { IncomingContext } from './incoming-document.ts';
import { type BodyForm, readDocuments, type ReadItem } from './read-documents.ts';
import type { ReadResult, ReadTask } from './read-thread.ts';

/**
 * Up to this size, parsing inline takes about as long as transferring to a thread. Parsing a megabyte of small values
 * would block the event loop for 300 ms.
 */
const MAX_INLINE_BYTES = 32_768;
/** A larger body may take seconds to read, a smaller one less than half a second. */
const LONG_BYTES = 262_144;
/** One for the long body of a workspace, one for that of another, and one that is free of long bodies. */
const THREADS = 3;
const MEMORY_LIMIT_MB = 1_024;
/** Far more than the most values take. */
const TASK_MS = 60_000;
const WAIT_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;

/** Parses posted documents of any size without blocking the event loop. */
export interface DocumentReader {
  /**
   * Large bodies are read in threads, which the workspaces share fairly.
   * @param bytes detached afterwards if large
   * @param signal ends the waiting for a thread
   * @throws Problem when the body itself is invalid, or too many others are waiting to be read
   */
  read(
    bytes: Buffer,
    form: BodyForm,
    context: IncomingContext,
    signal?: AbortSignal,
  ): Promise<ReadItem[]>;
  close(): Promise<void>;
}

export interface ReaderOptions {
  /** Module of the threads; tests pass one whose tasks wait. */
  filename?: string;
  /** Begins the time that a body may wait for a thread. */
  startWait?: () => AbortSignal;
  /** Begins the time that a thread may take. */
  startTask?: () => AbortSignal;
}

/** Uses its own threads: the index threads have minutes of work queued when many documents arrive. */
export function openDocumentReader(
  log: Logger,
  {
    filename = new URL('./read-thread.ts', import.meta.url).href,
    startWait = () => AbortSignal.timeout(WAIT_MS),
    startTask = () => AbortSignal.timeout(TASK_MS),
  }: ReaderOptions = {},
): DocumentReader {
  const pool = new Piscina({
    filename,
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  });
  // The pool replaces a thread that dies between tasks; without a listener the error would end the process.
  pool.on('error', (error: unknown) => log.error({ error: String(error) }, 'a read thread died'));
  const takePlace = openPlaces();
  return {
    async read(bytes, form, context, signal) {
      if (bytes.length <= MAX_INLINE_BYTES) return readDocuments(bytes, form, context);
      const { workspaceId } = context;
      const leave = await takePlace(workspaceId, bytes.length, { wait: startWait(), signal });
      try {
        const result = await readInThread(pool, { bytes, form, context }, startTask());
        if ('refused' in result) throw new Problem(result.refused.code, result.refused.message);
        return result.items;
      } finally {
        leave();
      }
    },
    close: () => pool.destroy(),
  };
}

/** @throws Problem SERVICE_UNAVAILABLE when the wait has lasted too long, or the client is gone */
type TakePlace = (
  workspaceId: WorkspaceId,
  bytes: number,
  ends: { wait: AbortSignal; signal: AbortSignal | undefined },
) => Promise<() => void>;

/**
 * The next body is of the workspace of which the fewest bytes were read. One workspace never has all threads, and long
 * bodies never have them all, so a small body waits for other small ones at most.
 */
function openPlaces(): TakePlace {
  const threads = openFairGate<WorkspaceId>({ places: THREADS, slice: LONG_BYTES });
  const long = openFairGate<WorkspaceId>({
    places: THREADS - 1,
    placesOfKey: 1,
    slice: LONG_BYTES,
  });
  return async (workspaceId, bytes, { wait, signal }) => {
    const options = { cost: bytes, signal: signal ? AbortSignal.any([wait, signal]) : wait };
    using places = new DisposableStack();
    try {
      if (bytes > LONG_BYTES) places.defer(await long.enter(workspaceId, options));
      places.defer(await threads.enter(workspaceId, options));
    } catch (error) {
      // Waiting ends in no other way; a client that is gone does not see the answer.
      throw tooManyWait(error);
    }
    const taken = places.move();
    return () => taken.dispose();
  };
}

async function readInThread(
  pool: Piscina,
  task: ReadTask,
  deadline: AbortSignal,
): Promise<ReadResult> {
  try {
    // Both sides are our own code: see read-thread.ts.
    return (await pool.run(task, {
      name: 'read',
      transferList: ownBuffer(task.bytes),
      signal: deadline,
    })) as ReadResult;
  } catch (error) {
    throw new Problem(
      'PAYLOAD_TOO_LARGE',
      'The body takes more time or memory to read than a request may have. Send fewer documents in one request.',
      { cause: error },
    );
  }
}

function tooManyWait(cause: unknown): Problem {
  return new Problem(
    'SERVICE_UNAVAILABLE',
    'Too many large bodies are waiting to be read. Nothing of this one was stored. Send fewer at a time, and this one again later.',
    { cause, retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

/** Copies a buffer that shares its memory with others. */
function ownBuffer({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
