import { extname } from 'node:path';
import { GiveUp } from '#src/platform/errors.ts';
import type { TaskOptions } from '#src/platform/guarded-processes.ts';
import { checkZip } from './check-zip.ts';
import { decodeText } from './decode-text.ts';
import { detectKind, kindByName } from './detect-kind.ts';
import { type FileKind, SUPPORTED_KINDS } from './file-kind.ts';
import type { ParserPool } from './parser-pool.ts';
import { type ImageFacts, readImage } from './read-image.ts';

export type InspectedFile =
  | { kind: 'image'; mediaType: string; image: ImageFacts }
  | { kind: FileKind; mediaType: string };

/** A sample is enough here: the parser thread reads the whole file. */
const SAMPLE_BYTES = 64 * 1024;
const IMAGE_NAME = /\.(?:png|jpe?g|jfif|webp|gif)$/i;

const MEDIA_TYPES: Readonly<Record<FileKind, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  epub: 'application/epub+zip',
  eml: 'message/rfc822',
  html: 'text/html',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  markdown: 'text/markdown',
  text: 'text/plain',
};
const ZIP_KINDS: ReadonlySet<string> = new Set(['docx', 'pptx', 'xlsx', 'epub']);

/**
 * Determines from its content what an uploaded file is, and rejects at once what can never be parsed. The media type
 * follows from the content, not from the client.
 * @throws GiveUp with the reason: empty, unsupported, not what its name says, damaged, protected, a zip bomb
 */
export async function inspectFile(
  parsers: ParserPool,
  { name, bytes, ...options }: { name: string; bytes: Buffer } & TaskOptions,
): Promise<InspectedFile> {
  if (bytes.length === 0) throw new GiveUp(`${name} is empty.`);
  const image = readImage({ name, bytes });
  if (image !== null) {
    if (!IMAGE_NAME.test(name) && kindByName(name) !== null) {
      throw new GiveUp(
        `${name} is named ${extname(name).toLowerCase()} but its content is an image.`,
      );
    }
    return { kind: 'image', mediaType: image.mediaType, image };
  }
  if (IMAGE_NAME.test(name)) {
    throw new GiveUp(`${name} is named like an image, but its content is not one.`);
  }
  const kind = detectKind({ name, bytes });
  if (ZIP_KINDS.has(kind)) await checkZip({ name, bytes, format: kind.toUpperCase() });
  else if (kind === 'pdf') await refuseProtected(parsers, { name, bytes, ...options });
  else if (decodeText(bytes.subarray(0, SAMPLE_BYTES)) === null) {
    throw new GiveUp(`${name} is a binary file of an unknown kind. Supported: ${SUPPORTED_KINDS}.`);
  }
  return { kind, mediaType: MEDIA_TYPES[kind] };
}

/** Encrypted PDFs are rare, and many open without a password: only parsing one can tell. */
async function refuseProtected(
  parsers: ParserPool,
  file: { name: string; bytes: Buffer } & TaskOptions,
): Promise<void> {
  if (file.bytes.includes('/Encrypt')) await parsers.parse(file);
}
