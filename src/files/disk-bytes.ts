import { mkdir, open as openFile, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { StoredFileId, WorkspaceId } from '#src/ids.ts';
import type { FileAddress, FileBytes } from './file-bytes.ts';
import { diskFullError } from './disk-full.ts';

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
/** Suffix of a file that is still being written. */
const UNFINISHED = '.part';

// Files of this store are named by two UUIDs; anything else was not put there by it.
const uuid = z.uuid();

interface DiskOptions {
  folder: string;
  /** Tests pass one that simulates a full disk. */
  open?: typeof openFile;
}

/**
 * Bytes in `<folder>/<workspace id>/<file id>`. A file is written under a temporary name, flushed to disk and then
 * renamed, so that a crash of the process or the machine never leaves a partial file under its name.
 */
export function createDiskBytes({ folder, open = openFile }: DiskOptions): FileBytes {
  const pathOf = ({ workspaceId, id }: FileAddress): string =>
    path.join(folder, uuid.parse(workspaceId), uuid.parse(id));
  return {
    async write(address, content) {
      const target = pathOf(address);
      const unfinished = `${target}${UNFINISHED}`;
      await mkdir(path.dirname(target), { recursive: true, mode: OWNER_ONLY_FOLDER });
      try {
        await writeDurably(unfinished, content, open);
        await rename(unfinished, target);
        await flushFolder(path.dirname(target));
      } catch (error) {
        await rm(unfinished, { force: true });
        throw diskFullError(error) ?? error;
      }
    },
    async read(address, byteCount) {
      try {
        const bytes = await readFile(pathOf(address));
        return bytes.length === byteCount ? bytes : null;
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return null;
        throw error;
      }
    },
    async remove(address) {
      const target = pathOf(address);
      await rm(target, { force: true });
      await rm(`${target}${UNFINISHED}`, { force: true });
    },
    list: () => listFolder(folder),
  };
}

async function writeDurably(
  file: string,
  content: AsyncIterable<Uint8Array>,
  open: typeof openFile,
): Promise<void> {
  await using handle = await open(file, 'w', OWNER_ONLY);
  await handle.writeFile(content);
  await handle.sync();
}

/** A file name is durable only when its folder has been flushed. */
async function flushFolder(folder: string): Promise<void> {
  await using handle = await openFile(folder, 'r');
  await handle.sync();
}

async function* listFolder(folder: string): AsyncGenerator<FileAddress[]> {
  for (const workspaceId of await namesIn(folder)) {
    if (!uuid.safeParse(workspaceId).success) continue;
    const names = await namesIn(path.join(folder, workspaceId));
    const ids = new Set(names.map((name) => path.basename(name, UNFINISHED)));
    // Both are names that `pathOf` built from such ids.
    yield [...ids]
      .filter((id) => uuid.safeParse(id).success)
      .map((id) => ({ workspaceId: workspaceId as WorkspaceId, id: id as StoredFileId }));
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return [];
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}
