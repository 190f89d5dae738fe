import { glob, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, matchesGlob, relative, resolve, sep } from 'node:path';

/** A file to ingest, or a path that cannot be ingested, with the reason. */
export type FoundFile =
  | { kind: 'file'; path: string; relativePath: string; bytes: number; mtimeMs: number }
  | { kind: 'skipped'; relativePath: string }
  | { kind: 'failed'; relativePath: string; reason: string };

export interface FileSelection {
  /** Files, folders and glob patterns. */
  paths: readonly string[];
  include: readonly string[];
  exclude: readonly string[];
  /** Base of relative paths; ids do not depend on it. */
  workingFolder: string;
}

/** Often found beside documents but never documents themselves: skipped, not failed. */
const NOT_DOCUMENTS = new Set(
  'png jpg jpeg gif webp avif bmp ico svg tif tiff mp3 wav ogg flac mp4 mov avi mkv webm woff woff2 ttf otf eot zip gz tgz bz2 xz zst 7z rar tar jar exe dll so dylib o a bin wasm class pyc db sqlite lock'
    .split(' ')
    .map((extension) => `.${extension}`),
);

/**
 * Finds files folder by folder in name order. Memory holds the names of one folder per level, and the ids of all files
 * if several paths are given. Skips dot files, `node_modules` and symlinked folders, unless a path names them
 * explicitly. A file found twice counts once; of two files with the same id, the second fails.
 */
export async function* findFiles(selection: FileSelection): AsyncGenerator<FoundFile> {
  const named = selection.paths.length > 1 ? new Map<string, string>() : null;
  for (const given of selection.paths) {
    for await (const found of findGiven(given, selection)) {
      const known = found.kind === 'file' ? named?.get(found.relativePath) : undefined;
      if (found.kind !== 'file' || known === undefined) {
        if (found.kind === 'file') named?.set(found.relativePath, found.path);
        yield found;
      } else if (known !== found.path) yield namesake(found, known, selection);
    }
  }
}

async function* findGiven(path: string, selection: FileSelection): AsyncGenerator<FoundFile> {
  const absolute = resolve(selection.workingFolder, path);
  const kind = await kindOf(absolute);
  if (kind === 'folder') yield* walk(absolute, { ...selection, base: absolute });
  else if (kind === 'file')
    yield await describe(absolute, { ...selection, base: dirname(absolute) });
  else if (kind === 'missing' && /[*?[{]/.test(path)) {
    const base = resolve(selection.workingFolder, fixedPartOf(path));
    yield* expand(path, { ...selection, base });
  } else {
    yield {
      kind: 'failed',
      relativePath: path,
      reason: kind === 'missing' ? 'there is no such file' : 'it is neither a file nor a folder',
    };
  }
}

function namesake(
  { path, relativePath: id }: Extract<FoundFile, { kind: 'file' }>,
  known: string,
  { workingFolder }: FileSelection,
): FoundFile {
  const shown = (file: string): string => relative(workingFolder, file).split(sep).join('/');
  return {
    kind: 'failed',
    relativePath: shown(path),
    reason: `its id would be ${id}, the same as that of ${shown(known)}; run the command once per path, each with its own --id-prefix`,
  };
}

/** What to look for below one of the given paths. */
interface Reach extends FileSelection {
  /**
   * Ids are relative to this folder: the given one, that of a given file, or the part of a pattern before its
   * wildcards.
   */
  base: string;
}

/** The folders of a pattern before the first one with a wildcard. */
function fixedPartOf(pattern: string): string {
  const parts = pattern.split('/');
  return (
    parts
      .slice(
        0,
        parts.findIndex((part) => /[*?[{]/.test(part)),
      )
      .join('/') || (pattern.startsWith('/') ? '/' : '.')
  );
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

async function* walk(folder: string, selection: Reach): AsyncGenerator<FoundFile> {
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

async function* expand(pattern: string, selection: Reach): AsyncGenerator<FoundFile> {
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

async function* choose(path: string, selection: Reach): AsyncGenerator<FoundFile> {
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

async function describe(path: string, selection: Reach): Promise<FoundFile> {
  const relativePath = idPath(path, selection);
  try {
    const found = await stat(path);
    // A symlinked folder could lead back up, so only links to files are followed.
    if (!found.isFile()) return { kind: 'skipped', relativePath };
    return { kind: 'file', path, relativePath, bytes: found.size, mtimeMs: found.mtimeMs };
  } catch (error) {
    return { kind: 'failed', relativePath, reason: reasonOf(error) };
  }
}

function isPassedOver(name: string): boolean {
  return (name.startsWith('.') && name !== '.' && name !== '..') || name === 'node_modules';
}

/** The path below the given folder, with forward slashes, so that it is the same from any folder and on any system. */
function idPath(path: string, { base }: Reach): string {
  return relative(base, path).split(sep).join('/');
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
