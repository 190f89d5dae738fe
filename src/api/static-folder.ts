import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { loadOnce } from '#src/platform/load-once.ts';
import { staticContent, type StaticContent } from './static-content.ts';

/** A file by its path below the folder, with `/` between its parts; null when there is none. */
export type OpenStaticFile = (path: string) => Promise<StaticContent | null>;

/**
 * The files of a folder that does not change. It is listed once, so that no path leads out of it and no more is kept than it holds;
 * each file is read when it is first asked for.
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
