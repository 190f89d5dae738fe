import { readFile } from 'node:fs/promises';
import type { ParserPool } from '#src/files/parser-pool.ts';
import { tooLarge } from '#src/files/parser-pool.ts';
import { GiveUp } from '#src/platform/errors.ts';
import { type FoundFile } from './find-files.ts';
import {
  type IngestItem,
  type ItemSettings,
  itemOfFile,
  itemOfJsonLine,
  itemOfText,
} from './ingest-item.ts';
import type { IngestState } from './ingest-state.ts';
import type { IngestTally } from './ingest-tally.ts';
import { readLines } from './read-lines.ts';

/** Services that turn an input into documents. */
export interface Reading {
  pool: ParserPool;
  settings: ItemSettings;
  tally: IngestTally;
  state: IngestState;
  signal: AbortSignal;
}

/** All tasks have one owner here. */
const READER = 'ingest';

/** Reads and parses a found file; null when there is nothing to send, which is recorded in the tally. */
export async function readFoundFile(
  found: FoundFile,
  reading: Reading,
): Promise<IngestItem | null> {
  const { pool, settings, tally, state, signal } = reading;
  if (found.kind === 'skipped') {
    tally.skippedKind();
    return null;
  }
  if (found.kind === 'failed') {
    tally.fail({ label: found.relativePath, reason: found.reason });
    return null;
  }
  const { path, relativePath: name, bytes, mtimeMs } = found;
  if (state.isFinished({ id: settings.idPrefix + name, bytes, mtimeMs })) {
    tally.skippedFinished();
    return null;
  }
  try {
    if (bytes > pool.limits.maxFileBytes) throw tooLarge(name, bytes, pool.limits);
    const content = await readFile(path, { signal });
    return itemOfFile(
      await pool.parse({ name, bytes: content, signal, owner: READER }),
      found,
      settings,
    );
  } catch (error) {
    signal.throwIfAborted();
    tally.fail({ label: name, reason: reasonOf(error) });
    return null;
  }
}

/** Rejects lines longer than the service accepts as a document. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/**
 * Documents from a pipe: JSON lines when the first line is one, otherwise the whole input is one file of any supported
 * kind. `title` names that file.
 */
export async function* readPipe(
  input: AsyncIterable<Uint8Array>,
  title: string,
  reading: Reading,
): AsyncGenerator<IngestItem> {
  const { first, parts } = await peekLine(input);
  if (itemOfJsonLine(first.toString('utf8'), 'line 1', reading.settings) !== null) {
    yield* readJsonLines(parts, reading);
    return;
  }
  try {
    const bytes = await readAll(parts, title);
    const parsed = await reading.pool.parse({
      name: title,
      bytes,
      signal: reading.signal,
      owner: READER,
    });
    yield itemOfText(parsed, title, reading.settings);
  } catch (error) {
    if (!(error instanceof GiveUp)) throw error;
    reading.tally.fail({ label: title, reason: error.message });
  }
}

async function* readJsonLines(
  parts: AsyncIterable<Uint8Array>,
  { settings, tally }: Reading,
): AsyncGenerator<IngestItem> {
  let number = 0;
  for await (const line of readLines(parts, MAX_INPUT_BYTES)) {
    number += 1;
    if (line.trim() === '') continue;
    const label = `line ${number}`;
    const item = itemOfJsonLine(line, label, settings);
    if (item !== null) yield item;
    else
      tally.fail({
        label,
        reason: 'it is not JSON of the form {"document": {…}, "cc_pair_id": 1}',
      });
  }
}

/** The first line of a stream, and the whole stream from its beginning. */
async function peekLine(
  input: AsyncIterable<Uint8Array>,
): Promise<{ first: Buffer; parts: AsyncIterable<Uint8Array> }> {
  const iterator = input[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let bytes = 0;
  let ended = false;
  while (!ended && bytes <= MAX_INPUT_BYTES && !seen.at(-1)?.includes(10)) {
    const next = await iterator.next();
    if (next.done) ended = true;
    else {
      seen.push(next.value);
      bytes += next.value.length;
    }
  }
  const start = Buffer.concat(seen);
  const end = start.indexOf(10);
  async function* fromBeginning(): AsyncGenerator<Uint8Array> {
    yield start;
    if (!ended) yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { first: end === -1 ? start : start.subarray(0, end), parts: fromBeginning() };
}

async function readAll(parts: AsyncIterable<Uint8Array>, title: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    pieces.push(part);
    bytes += part.length;
    if (bytes > MAX_INPUT_BYTES) {
      throw new GiveUp(`${title} is larger than ${MAX_INPUT_BYTES / 1024 / 1024} MB. Split it.`);
    }
  }
  return Buffer.concat(pieces);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
