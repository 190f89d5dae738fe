import { glob, readdir, stat } from 'node:fs/promises';
import { basename, extname, join, matchesGlob, relative, resolve, sep } from 'node:path';

/** A file to ingest, or a path that cannot be one, with the reason. */
export type FoundFile =
  | { kind: 'file'; path: string; relativePath: string; bytes: number; mtimeMs: number }
  | { kind: 'skipped'; relativePath: string }
  | { kind: 'failed'; relativePath: string; reason: string };

export interface FileSelection {
  /** Files, folders and glob patterns. */
  paths: readonly string[];
  include: readonly string[];
  exclude: readonly string[];
  /** Relative paths and document ids start here. */
  workingFolder: string;
}

/** Found beside documents in many folders and never documents themselves: passed over, not failed. */
const NOT_DOCUMENTS = new Set(
  'png jpg jpeg gif webp avif bmp ico svg tif tiff mp3 wav ogg flac mp4 mov avi mkv webm woff woff2 ttf otf eot zip gz tgz bz2 xz zst 7z rar tar jar exe dll so dylib o a bin wasm class pyc db sqlite lock'
    .split(' ')
    .map((extension) => `.${extension}`),
);

/**
 * Finds files one by one, folder by folder in the order of names; memory holds one folder's names per level.
 * Folders are walked without dot files, `node_modules` and linked folders. A path that is named itself is always taken.
 */
export async function* findFiles(selection: FileSelection): AsyncGenerator<FoundFile> {
  for (const path of selection.paths) {
    const absolute = resolve(selection.workingFolder, path);
    const kind = await kindOf(absolute);
    if (kind === 'folder') yield* walk(absolute, selection);
    else if (kind === 'file') yield await describe(absolute, selection);
    else if (/[*?[{]/.test(path)) yield* expand(path, selection);
    else {
      yield {
        kind: 'failed',
        relativePath: path,
        reason: kind === 'missing' ? 'there is no such file' : 'it is neither a file nor a folder',
      };
    }
  }
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'missing' | 'other'> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'other';
  } catch {
    return 'missing';
  }
}

async function* walk(folder: string, selection: FileSelection): AsyncGenerator<FoundFile> {
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    yield { kind: 'failed', relativePath: idPath(folder, selection), reason: reasonOf(error) };
    return;
  }
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isPassedOver(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path, selection);
    else if (entry.isFile() || entry.isSymbolicLink()) yield* choose(path, selection);
  }
}

async function* expand(pattern: string, selection: FileSelection): AsyncGenerator<FoundFile> {
  let matches = 0;
  const exclude = (path: string): boolean => isPassedOver(basename(path));
  for await (const path of glob(pattern, { cwd: selection.workingFolder, exclude })) {
    const absolute = resolve(selection.workingFolder, path);
    if ((await kindOf(absolute)) === 'folder') continue;
    matches += 1;
    yield* choose(absolute, selection);
  }
  if (matches === 0) {
    yield { kind: 'failed', relativePath: pattern, reason: 'no file matches this pattern' };
  }
}

async function* choose(path: string, selection: FileSelection): AsyncGenerator<FoundFile> {
  const relativePath = idPath(path, selection);
  const matches = (pattern: string): boolean =>
    matchesGlob(pattern.includes('/') ? relativePath : basename(path), pattern);
  if (selection.include.length > 0 && !selection.include.some(matches)) return;
  if (selection.exclude.some(matches)) return;
  if (NOT_DOCUMENTS.has(extname(path).toLowerCase())) {
    yield { kind: 'skipped', relativePath };
    return;
  }
  yield await describe(path, selection);
}

async function describe(path: string, selection: FileSelection): Promise<FoundFile> {
  const relativePath = idPath(path, selection);
  try {
    const found = await stat(path);
    // A linked folder could lead back up: links are followed to files alone.
    if (!found.isFile()) return { kind: 'skipped', relativePath };
    return { kind: 'file', path, relativePath, bytes: found.size, mtimeMs: found.mtimeMs };
  } catch (error) {
    return { kind: 'failed', relativePath, reason: reasonOf(error) };
  }
}

function isPassedOver(name: string): boolean {
  return (name.startsWith('.') && name !== '.' && name !== '..') || name === 'node_modules';
}

/** The path from the working folder with forward slashes: the same on every system, run after run. */
function idPath(path: string, { workingFolder }: FileSelection): string {
  return relative(workingFolder, path).split(sep).join('/');
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
