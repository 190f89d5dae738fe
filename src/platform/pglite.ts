import { statfs } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { z } from 'zod';
import { BYTEA_OID } from './embedded-database.ts';
import { StartError } from './errors.ts';
import { messageOf } from './message-of.ts';

/**
 * Opens the embedded database in `directory` (in memory when null). Its single session searches our own tables before
 * those of the queues.
 * @throws StartError when there is no space for it, or its files cannot be used
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
    throw openFailure(directory ?? 'memory', error, freeBytes);
  });
  await pglite.exec('set search_path = public, bullmq');
  return pglite;
}

const systemFailure = z.object({ errno: z.number() });
/** ENOSPC as numbered by WASI, which WebAssembly programs use. */
const WASI_NO_SPACE = 51;
/** A WAL segment, which Postgres writes in one piece when it opens its files. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;

/**
 * Errors of PGlite's file system are not `Error` objects and have no message; when Postgres exits, no reason is given.
 * @param freeBytes free space on its disk; null when unknown
 */
export function openFailure(place: string, cause: unknown, freeBytes: number | null): StartError {
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

/** Emscripten's exception for leaving a statement, or the program, has a status. */
const longJump = z.object({ status: z.number() });

/**
 * Reports WebAssembly traps. PGlite hides them and calls Postgres again, perhaps forever. Postgres itself leaves its
 * statements by a different kind of exception.
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

/** Not from the pool of small buffers: the whole pool would be copied between threads each time. */
function bytesOf(hex: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow((hex.length - 2) / 2);
  bytes.write(hex.slice(2), 'hex');
  return bytes;
}
