import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';
import { stripTypes } from '#src/platform/strip-types.ts';

/** A file as the browser gets it. */
export interface WebFile {
  /** A media type. */
  readonly type: string;
  readonly text: string;
}

/** All files of the console by their path below `ASSETS_PATH/<version>/`. */
export interface WebFiles {
  /** Changes when any file does, so that every file may be cached for good. */
  readonly version: string;
  readonly files: ReadonlyMap<string, WebFile>;
  /** What the pages import by name, and the paths of it. */
  readonly imports: Readonly<Record<string, string>>;
}

const WEB_FOLDER = join(import.meta.dirname, 'web');
const TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript',
  '.mjs': 'text/javascript',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** What pages import from packages: the specifier, the package, and the ES module in it. */
const PACKAGES: readonly { name: string; from: string; file: string }[] = [
  { name: 'preact', from: 'preact', file: 'dist/preact.mjs' },
  { name: 'preact/hooks', from: 'preact', file: 'hooks/dist/hooks.mjs' },
  { name: '@preact/signals', from: '@preact/signals', file: 'dist/signals.mjs' },
  { name: '@preact/signals-core', from: '@preact/signals-core', file: 'dist/signals-core.mjs' },
  { name: 'htm', from: 'htm', file: 'dist/htm.mjs' },
  { name: 'htm/preact', from: 'htm', file: 'preact/index.mjs' },
  { name: 'marked', from: 'marked', file: 'lib/marked.esm.js' },
  { name: 'uplot', from: 'uplot', file: 'dist/uPlot.esm.js' },
  { name: 'uplot.css', from: 'uplot', file: 'dist/uPlot.min.css' },
];

/** Modules of other folders that also run in a browser. */
const SHARED = ['client/read-events.ts'];

/** Reads every file once, and strips the types: the browser gets nothing that is not in this list. */
export async function openWebFiles(): Promise<WebFiles> {
  const own = await readOwnFiles();
  const shared = await Promise.all(
    SHARED.map(async (path) => ({ path, file: join(import.meta.dirname, '..', path) })),
  );
  const packaged = PACKAGES.map(({ name, from, file }) => ({
    name,
    path: `packages/${from}/${file}`,
    file: join(packageFolder(from), file),
  }));
  const entries = await Promise.all(
    [...own, ...shared, ...packaged].map(
      async ({ path, file }) => [path, await readWebFile(file)] as const,
    ),
  );
  const files = new Map(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return {
    version: versionOf(files),
    files,
    imports: {
      '#src/console/web/': 'web/',
      ...Object.fromEntries(SHARED.map((path) => [`#src/${path}`, path])),
      ...Object.fromEntries(
        packaged.filter(({ file }) => !file.endsWith('.css')).map(({ name, path }) => [name, path]),
      ),
    },
  };
}

async function readOwnFiles(): Promise<{ path: string; file: string }[]> {
  const entries = await readdir(WEB_FOLDER, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: `web/${relative(WEB_FOLDER, file).replaceAll(sep, '/')}`, file }));
}

async function readWebFile(file: string): Promise<WebFile> {
  const source = await readFile(file, 'utf8');
  const type = TYPES[extname(file)] ?? 'text/plain';
  if (file.endsWith('.ts')) return { type, text: stripTypes(source) };
  // The maps of packages are not served.
  return { type, text: source.replace(/^\/\/# sourceMappingURL=.*$/m, '') };
}

function packageFolder(name: string): string {
  const found = findPackageJSON(name, import.meta.url);
  if (found === undefined) throw new Error(`The package ${name} is not installed: npm ci.`);
  return dirname(found);
}

function versionOf(files: ReadonlyMap<string, WebFile>): string {
  const hash = createHash('sha256');
  for (const [path, { text }] of files) hash.update(`${path}\0${text}\0`);
  return hash.digest('base64url').slice(0, 16);
}
