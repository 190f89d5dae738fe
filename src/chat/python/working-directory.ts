import { WORKING_DIRECTORY } from './python-prelude.ts';

export interface WorkingFile {
  name: string;
  bytes: Uint8Array;
}

const MAX_ENTRIES = 10_000;
const MAX_DEPTH = 16;
/** `ENOSPC` of WASI, whose numbers the in-memory file system uses. */
const NO_SPACE = 51;

/** The part of Emscripten's file system that is used here; its own types are imprecise. */
export interface FileSystem {
  mkdirTree(path: string): void;
  chdir(path: string): void;
  readdir(path: string): string[];
  lstat(path: string): { mode: number; size: number };
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  readFile(path: string): Uint8Array;
  writeFile(path: string, bytes: Uint8Array): void;
  readonly ErrnoError: new (errno: number) => Error;
  readonly filesystems: { readonly MEMFS: MemoryFileSystem };
}

type Resize = (node: unknown, byteCount: number) => void;
interface MemoryFileSystem {
  expandFileStorage: Resize;
  resizeFileStorage: Resize;
}

/** Writes the attached files to the working directory, and makes it the current one. */
export function writeFiles(fs: FileSystem, files: readonly WorkingFile[]): void {
  fs.mkdirTree(WORKING_DIRECTORY);
  fs.chdir(WORKING_DIRECTORY);
  for (const { name, bytes } of files) {
    const path = `${WORKING_DIRECTORY}/${name}`;
    fs.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    fs.writeFile(path, bytes);
  }
}

/** Makes writing a file of more than `maxBytes` fail with `OSError: No space left on device`. */
export function limitFileSize(fs: FileSystem, maxBytes: number): void {
  const memory = fs.filesystems.MEMFS;
  for (const name of ['expandFileStorage', 'resizeFileStorage'] as const) {
    const original = memory[name].bind(memory);
    memory[name] = (node, byteCount) => {
      if (byteCount > maxBytes) throw new fs.ErrnoError(NO_SPACE);
      original(node, byteCount);
    };
  }
}

/** The files of the working directory that are new or differ from `before`, sorted by name. */
export function* changedFiles(
  fs: FileSystem,
  before: readonly WorkingFile[],
): Generator<{ name: string; byteCount: number; read: () => Uint8Array }> {
  const known = new Map(before.map(({ name, bytes }) => [name, bytes]));
  let entries = 0;
  const open = [{ path: WORKING_DIRECTORY, depth: 0 }];
  for (let next = open.shift(); next; next = open.shift()) {
    for (const entry of namesIn(fs, next.path)) {
      entries += 1;
      if (entries > MAX_ENTRIES) return;
      const path = `${next.path}/${entry}`;
      const { mode, size } = fs.lstat(path);
      if (fs.isDir(mode) && next.depth < MAX_DEPTH && entry !== '__pycache__')
        open.push({ path, depth: next.depth + 1 });
      if (!fs.isFile(mode)) continue;
      const name = path.slice(WORKING_DIRECTORY.length + 1);
      const read = (): Uint8Array => fs.readFile(path);
      const old = known.get(name);
      if (old?.length === size && Buffer.compare(old, read()) === 0) continue;
      yield { name, byteCount: size, read };
    }
  }
}

/** Sorted; empty when the code removed the folder. */
function namesIn(fs: FileSystem, path: string): string[] {
  try {
    return fs
      .readdir(path)
      .filter((name) => name !== '.' && name !== '..')
      .toSorted();
  } catch {
    return [];
  }
}
