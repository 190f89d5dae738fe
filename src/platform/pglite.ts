import { statfs } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { z } from 'zod';
import { BYTEA_OID } from './embedded-database.ts';
import { StartError } from './errors.ts';
import { messageOf } from './message-of.ts';

/**
 * Opens the embedded database in `directory` (in memory when null).
 * Its one session finds the queues' tables after our own.
 * @throws StartError when there is no room for it, or its files cannot be used
 */
export async function openPglite(
  directory: string | null,
  snapshot: Blob | null = null,
): Promise<PGlite> {
  const pglite = await PGlite.create({
    extensions: { vector },
    parsers: { [BYTEA_OID]: bytesOf },
    ...(directory === null ? {} : { dataDir: directory }),
    ...(snapshot === null ? {} : { loadDataDir: snapshot }),
  }).catch(async (error: unknown) => {
    const freeBytes = directory === null ? null : await freeBytesAt(directory);
    throw unopened(directory ?? 'memory', error, freeBytes);
  });
  await pglite.exec('set search_path = public, bullmq');
  return pglite;
}

const systemFailure = z.object({ errno: z.number() });
/** ENOSPC in the numbering of WASI, which WebAssembly programs have. */
const WASI_NO_SPACE = 51;
/** A segment of Postgres' log, which it writes in one piece when it opens its files. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;

/**
 * What the file system of PGlite throws is no `Error` and has no message; that of an end of Postgres names no reason.
 * @param freeBytes on its disk; null when that is not known
 */
export function unopened(place: string, cause: unknown, freeBytes: number | null): StartError {
  return new StartError(
    `The embedded database in ${place} cannot be opened: ${reasonOf(cause, freeBytes)}`,
    { cause },
  );
}

function reasonOf(cause: unknown, freeBytes: number | null): string {
  const errno = systemFailure.safeParse(cause).data?.errno;
  if (errno === WASI_NO_SPACE || (freeBytes !== null && freeBytes < LEAST_FREE_BYTES)) {
    return 'no space is left on its disk. Make room, or set DATA_DIR to a folder on another disk.';
  }
  if (errno !== undefined || !(cause instanceof Error)) {
    return `its files cannot be read or written (WASI error ${errno ?? 'unknown'}). Check the folder and its owner, or restore a backup.`;
  }
  return `its files are damaged or those of another version (${messageOf(cause)}). Restore a backup, or set DATA_DIR to another folder.`;
}

async function freeBytesAt(directory: string): Promise<number | null> {
  const disk = await statfs(directory).catch(() => null);
  return disk && disk.bavail * disk.bsize;
}

/** What Emscripten throws to leave a statement, or the program, has a status. */
const longJump = z.object({ status: z.number() });

/**
 * Tells of traps of WebAssembly. PGlite hides them, and calls Postgres again, perhaps for ever. Postgres itself leaves its
 * statements by exceptions of another kind.
 */
export function watchTraps(
  postgres: Pick<PGlite['Module'], '_PostgresMainLoopOnce'>,
  onTrap: (error: unknown) => void,
): void {
  const runOnce = postgres._PostgresMainLoopOnce;
  postgres._PostgresMainLoopOnce = () => {
    try {
      runOnce();
    } catch (error) {
      if (!longJump.safeParse(error).success) onTrap(error);
      throw error;
    }
  };
}

/** Not from the pool of small buffers: all of it would be copied from thread to thread with each. */
function bytesOf(hex: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow((hex.length - 2) / 2);
  bytes.write(hex.slice(2), 'hex');
  return bytes;
}
