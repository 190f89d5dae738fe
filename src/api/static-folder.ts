import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { loadOnce } from '#src/platform/load-once.ts';
import { staticContent, type StaticContent } from './static-content.ts';

/** A file by its path below the folder, with `/` as separator; null when it does not exist. */
export type OpenStaticFile = (path: string) => Promise<StaticContent | null>;

/**
 * The files of a folder that does not change. The folder is listed once, so that no path leads out of it and the cache
 * holds no more than its files; each file is read on first use.
 */
export function openStaticFolder(folder: string): OpenStaticFile {
  const listing = loadOnce(() => listFiles(folder));
  return async (path) => {
    const files = await listing();
    return (await files.get(path)?.()) ?? null;
  };
}

async function listFiles(folder: string): Promise<Map<string, () => Promise<StaticContent>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    files.map((file) => [
      relative(folder, file).replaceAll(sep, '/'),
      loadOnce(async () => staticContent(extname(file), await readFile(file))),
    ]),
  );
}
