import { appendFileSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { UsageError } from './exit.ts';
import type { IngestItem } from './ingest-item.ts';

/** Remembers finished files, so that an interrupted run can resume. */
export interface IngestState {
  /** Whether this exact content (by size and modification time) was accepted by this service before. */
  isFinished(file: NonNullable<IngestItem['file']>): boolean;
  finish(files: NonNullable<IngestItem['file']>[]): void;
  /** For a file that the service accepted but failed to index: the next run sends it again. */
  forget(id: string): void;
}

/** Without `--state` every file is read and sent; the service recognizes unchanged content. */
export const NO_STATE: IngestState = {
  isFinished: () => false,
  finish: () => {},
  forget: () => {},
};

const header = z.object({ millrace_ingest: z.literal(1), url: z.string() });
const line = z.union([
  z.object({ id: z.string(), bytes: z.number(), mtime_ms: z.number() }),
  z.object({ id: z.string(), forget: z.literal(true) }),
]);

/**
 * Opens a state file, which is created at the first finished file: append-only JSON lines, so a kill costs at most the
 * last line.
 * @throws UsageError when the file is something else, or belongs to another service
 */
export function openIngestState(path: string, url: string): IngestState {
  const finished = readState(path, url);
  const append = (values: unknown[]): void => {
    appendFileSync(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  };
  if (finished.isNew) append([{ millrace_ingest: 1, url }]);
  // An incomplete last line must not swallow the next one.
  else if (finished.isTorn) appendFileSync(path, '\n');
  return {
    isFinished: (file) => finished.stamps.get(file.id) === stamp(file.bytes, file.mtimeMs),
    finish(files) {
      for (const file of files) finished.stamps.set(file.id, stamp(file.bytes, file.mtimeMs));
      append(files.map((file) => ({ id: file.id, bytes: file.bytes, mtime_ms: file.mtimeMs })));
    },
    forget(id) {
      if (finished.stamps.delete(id)) append([{ id, forget: true }]);
    },
  };
}

interface ReadState {
  stamps: Map<string, string>;
  isNew: boolean;
  isTorn: boolean;
}

function readState(path: string, url: string): ReadState {
  const text = readIfPresent(path);
  if (text === '') return { stamps: new Map(), isNew: true, isTorn: false };
  const [first = '', ...rest] = text.split('\n');
  const head = header.safeParse(parse(first));
  if (!head.success) {
    throw new UsageError(
      `${path} is not a state file of "millrace ingest"; name another file with --state.`,
    );
  }
  if (head.data.url !== url) {
    throw new UsageError(
      `${path} belongs to ${head.data.url} and this service is ${url}; name another file with --state.`,
    );
  }
  const stamps = new Map<string, string>();
  for (const text of rest) {
    const entry = line.safeParse(parse(text));
    if (!entry.success) continue;
    if ('forget' in entry.data) stamps.delete(entry.data.id);
    else stamps.set(entry.data.id, stamp(entry.data.bytes, entry.data.mtime_ms));
  }
  return { stamps, isNew: false, isTorn: !text.endsWith('\n') };
}

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw new UsageError(`${path} cannot be read: ${String(error)}`, { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function stamp(bytes: number, mtimeMs: number): string {
  return `${bytes}:${mtimeMs}`;
}
