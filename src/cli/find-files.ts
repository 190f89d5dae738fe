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
 * Finds files one by one, folder by folder in name order; memory holds the names of one folder per level. Skips dot
 * files, `node_modules` and symlinked folders, unless a path is named explicitly.
 */
export async function* findFiles(selection: FileSelection): AsyncGenerator<FoundFile> {
  const named = new Map<string, string>();
  for (const path of selection.paths) {
    const absolute = resolve(selection.workingFolder, path);
    const kind = await kindOf(absolute);
    const isPattern = kind === 'missing' && /[*?[{]/.test(path);
    const given = isPattern ? resolve(selection.workingFolder, fixedPartOf(path)) : absolute;
    const reach = {
      ...selection,
      base: isPattern && given === selection.workingFolder ? given : dirname(given),
    };
    const namesake = named.get(basename(given));
    if (namesake !== undefined && namesake !== given) {
      yield { kind: 'failed', relativePath: path, reason: SAME_NAME };
      continue;
    }
    named.set(basename(given), given);
    if (kind === 'folder') yield* walk(absolute, reach);
    else if (kind === 'file') yield await describe(absolute, reach);
    else if (isPattern) yield* expand(path, reach);
    else {
      yield {
        kind: 'failed',
        relativePath: path,
        reason: kind === 'missing' ? 'there is no such file' : 'it is neither a file nor a folder',
      };
    }
  }
}

const SAME_NAME =
  'another given path has the same name, so their documents would have the same ids; run the command once per path, each with its own --id-prefix';

/** What to look for below one of the given paths. */
interface Reach extends FileSelection {
  /** Ids are relative to this: the folder that contains the given path. */
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

/** The name of the given path plus the path below it, with forward slashes: the same from any folder, on any system. */
function idPath(path: string, { base }: Reach): string {
  return relative(base, path).split(sep).join('/');
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
