import { posix } from 'node:path';
import { z } from 'zod';
import { GiveUp } from '#src/platform/errors.ts';
import { inflateZipEntry, readZipDirectory, type ZipEntry, type ZipFile } from './read-zip.ts';
import { isNestedDeeper } from '#src/platform/json-depth.ts';
import { safeFileName } from './safe-file-name.ts';

const LIMITS = { entries: 10_000, inflatedBytes: 1024 * 1024 * 1024 };
const METADATA_NAMES = new Set(['.onyx_metadata.json', '.millrace_metadata.json']);
const MAX_METADATA_BYTES = 32 * 1024 * 1024;
/** A limit that allows the value to be serialized again. */
const MAX_METADATA_DEPTH = 100;

/** What a zip's metadata file says about its files: name in the archive → keys and values. */
export type ZipMetadata = ReadonlyMap<string, Record<string, unknown>>;

export interface UnpackedFile {
  /** Path in the archive, as plain text. */
  name: string;
  bytes: Buffer;
  /** {} when there is no metadata file or it does not name this file. */
  metadata: Record<string, unknown>;
}

export interface UnpackedZip {
  /** The metadata file as stored in the archive; null when there is none. */
  metadataFile: { name: string; bytes: Buffer } | null;
  /** Unpacked lazily, one by one. */
  files: AsyncIterable<UnpackedFile>;
}

/**
 * Unpacks an archive, entry by entry and off the main thread. Folders, dot files and files added by macOS are skipped;
 * a nested archive stays one file.
 * @throws GiveUp when the archive or its metadata file is damaged, or unpacks beyond the limits
 */
export async function unpackZip(file: Omit<ZipFile, 'format'>): Promise<UnpackedZip> {
  const zip = { ...file, format: 'ZIP' };
  const entries = readZipDirectory(zip, LIMITS);
  const described = shallowest(entries.filter(({ name }) => isMetadataName(name)));
  const wanted = entries.filter(isWanted);
  if (wanted.length === 0) throw new GiveUp(`${file.name} holds no files.`);
  if (described === null) {
    return { metadataFile: null, files: unpackEach(zip, wanted, new Map(), '') };
  }
  if (described.inflatedBytes > MAX_METADATA_BYTES) {
    throw new GiveUp(
      `${described.name} in ${file.name} is larger than ${MAX_METADATA_BYTES} bytes.`,
    );
  }
  const bytes = await inflateZipEntry(zip, described);
  const metadata = readZipMetadata(`${described.name} in ${file.name}`, bytes);
  const folder = posix.dirname(described.name);
  return {
    metadataFile: { name: safeFileName(described.name), bytes },
    files: unpackEach(zip, wanted, metadata, folder === '.' ? '' : `${folder}/`),
  };
}

const described = z.looseObject({ filename: z.string().min(1) });

/**
 * Reads a metadata file: an array of objects that each have a `filename`.
 * @throws GiveUp for any other content
 */
export function readZipMetadata(name: string, bytes: Uint8Array): ZipMetadata {
  let content: unknown;
  try {
    content = JSON.parse(
      Buffer.from(bytes)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    );
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new GiveUp(`${name} is not valid JSON: ${detail}`, { cause: error });
  }
  if (isNestedDeeper(content, MAX_METADATA_DEPTH)) {
    throw new GiveUp(`${name} is nested more than ${MAX_METADATA_DEPTH} levels deep.`);
  }
  const parsed = z.array(described).safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new GiveUp(
      `${name} must be an array of objects with a filename each: ${issue?.path.join('.')}: ${issue?.message}.`,
    );
  }
  return new Map(parsed.data.map(({ filename, ...keys }) => [safeFileName(filename), keys]));
}

/** The metadata of a file: under its full path if present, otherwise under its base name. */
export function metadataOf(metadata: ZipMetadata, name: string): Record<string, unknown> | null {
  return metadata.get(name) ?? metadata.get(posix.basename(name)) ?? null;
}

async function* unpackEach(
  zip: ZipFile,
  entries: ZipEntry[],
  metadata: ZipMetadata,
  metadataFolder: string,
): AsyncGenerator<UnpackedFile> {
  for (const entry of entries) {
    const name = safeFileName(entry.name);
    const beside = entry.name.startsWith(metadataFolder)
      ? safeFileName(entry.name.slice(metadataFolder.length))
      : name;
    yield {
      name,
      bytes: await inflateZipEntry(zip, entry),
      metadata: metadata.get(name) ?? metadataOf(metadata, beside) ?? {},
    };
  }
}

function isMetadataName(name: string): boolean {
  return METADATA_NAMES.has(posix.basename(name)) && !name.startsWith('__MACOSX/');
}

function isWanted({ name }: ZipEntry): boolean {
  if (/[/\\]$/.test(name)) return false;
  const segments = safeFileName(name).split('/');
  return segments.every(
    (segment) => segment !== '' && segment !== '__MACOSX' && !segment.startsWith('.'),
  );
}

function shallowest(entries: ZipEntry[]): ZipEntry | null {
  const depth = ({ name }: ZipEntry): number => name.split('/').length;
  return entries.toSorted((a, b) => depth(a) - depth(b))[0] ?? null;
}
