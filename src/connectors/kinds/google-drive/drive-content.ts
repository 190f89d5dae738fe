import { createHash } from 'node:crypto';
import { GiveUp } from '#src/platform/errors.ts';
import type { OutboundResponse } from '#src/platform/http.ts';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import type { DriveApi, DriveFile } from './drive-api.ts';
import { readGoogleError } from './google-errors.ts';
import { NOT_READABLE, readableName } from '#src/connectors/source/readable-file.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';

const MAX_FILE_BYTES = 20 * 1024 * 1024;
const GOOGLE_KIND = 'application/vnd.google-apps.';
const NOT_DOWNLOADABLE = 'a file whose owner forbids downloads';

/**
 * Export formats of Google's own file types, best first. An export has at most 10 MB.
 * https://developers.google.com/workspace/drive/api/guides/ref-export-formats
 */
const EXPORTS: Record<string, readonly { mediaType: string; extension: string }[]> = {
  [`${GOOGLE_KIND}document`]: [
    { mediaType: 'text/markdown', extension: 'md' },
    { mediaType: 'text/html', extension: 'html' },
    { mediaType: 'text/plain', extension: 'txt' },
  ],
  [`${GOOGLE_KIND}spreadsheet`]: [
    {
      mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      extension: 'xlsx',
    },
  ],
  [`${GOOGLE_KIND}presentation`]: [{ mediaType: 'text/plain', extension: 'txt' }],
};

export type DriveContent =
  | { kind: 'parsed'; parsed: Awaited<ReturnType<ConnectorContext['parse']>> }
  | { kind: 'failed'; reason: string }
  | { kind: 'gone' };

/** The reason to skip the file; null when its type can be read. */
export function whyNotRead(
  file: Pick<DriveFile, 'name' | 'mimeType' | 'size' | 'capabilities'>,
): string | null {
  // Owners may forbid copying to readers; exports are then refused as well.
  const isForbidden = file.capabilities?.canDownload === false;
  if (EXPORTS[file.mimeType]) return isForbidden ? NOT_DOWNLOADABLE : null;
  if (file.mimeType.startsWith(GOOGLE_KIND))
    return 'a kind of Google file that cannot be exported as text';
  if (readableName(file.name, file.mimeType) === null) return NOT_READABLE;
  if (isForbidden) return NOT_DOWNLOADABLE;
  return file.size === '0' ? 'an empty file' : null;
}

/** Exports or downloads a file and parses it. */
export async function readContent(
  file: DriveFile,
  subject: string | null,
  api: DriveApi,
  context: ConnectorContext,
): Promise<DriveContent> {
  const formats = EXPORTS[file.mimeType];
  const fetched = formats
    ? await exportFile(file, formats, subject, api)
    : await downloadFile(file, subject, api);
  if (!('bytes' in fetched)) return fetched;
  try {
    return { kind: 'parsed', parsed: await context.parse(fetched) };
  } catch (error) {
    if (error instanceof GiveUp) return { kind: 'failed', reason: error.message };
    throw error;
  }
}

type Fetched = { name: string; bytes: Uint8Array } | Exclude<DriveContent, { kind: 'parsed' }>;

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export */
async function exportFile(
  file: DriveFile,
  formats: readonly { mediaType: string; extension: string }[],
  subject: string | null,
  api: DriveApi,
): Promise<Fetched> {
  let refusal: Fetched = { kind: 'failed', reason: `${file.name} cannot be exported.` };
  for (const { mediaType, extension } of formats) {
    const ask = (): Promise<OutboundResponse> =>
      api.bytes(
        subject,
        `files/${encodeURIComponent(file.id)}/export`,
        { mimeType: mediaType },
        MAX_FILE_BYTES,
      );
    const isExport = (answer: OutboundResponse): boolean =>
      answer.status !== 200 ||
      (answer.headers.get('content-type') ?? '').toLowerCase().startsWith(mediaType);
    let response = await ask();
    // Something else may have answered in Google's place: try once more now, then later.
    if (!isExport(response)) response = await ask();
    if (!isExport(response)) throw damaged(file);
    if (response.status === 200) {
      const name = `${file.name}.${extension}`;
      return { name, bytes: extension === 'md' ? withoutPictures(response) : response.bytes };
    }
    refusal = refusalOf(file, response);
    // Only "this conversion is not supported" makes the next format worth trying.
    if (response.status !== 400) return refusal;
  }
  return refusal;
}

/** Markdown exports embed each picture as a `data:` URL, which may be most of the file. */
function withoutPictures(response: OutboundResponse): Buffer {
  const text = response
    .text()
    .replaceAll(/^\[image\d+\]:\s*<data:[^>\n]*>[ \t]*$/gm, '')
    .replaceAll(/!\[((?:[^\][\n]|(?<!!)\[){0,500})\](?:\[image\d+\]|\(data:[^()\n]*\))/g, '$1');
  return Buffer.from(text);
}

/** https://developers.google.com/workspace/drive/api/guides/manage-downloads#blob-files */
async function downloadFile(
  file: DriveFile,
  subject: string | null,
  api: DriveApi,
): Promise<Fetched> {
  const bytes = Number(file.size ?? '0');
  if (bytes > MAX_FILE_BYTES) return { kind: 'failed', reason: tooLarge(file.name, bytes) };
  let checksum = file.md5Checksum ?? null;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const query = { alt: 'media', supportsAllDrives: 'true' };
    const path = `files/${encodeURIComponent(file.id)}`;
    const response = await api.bytes(subject, path, query, MAX_FILE_BYTES);
    if (response.status !== 200) return refusalOf(file, response);
    const name = readableName(file.name, file.mimeType) ?? file.name;
    if (checksum === null || checksum === md5(response.bytes))
      return { name, bytes: response.bytes };
    // The content is not the one listed: the file has changed since, or this is another answer altogether.
    const current = await api.file(subject, file.id);
    if (current === null) return { kind: 'gone' };
    checksum = current.md5Checksum ?? null;
    if (checksum === md5(response.bytes)) return { name, bytes: response.bytes };
  }
  throw damaged(file);
}

function refusalOf(
  file: DriveFile,
  response: OutboundResponse,
): Exclude<Fetched, { bytes: Uint8Array }> {
  if (response.status === 404) return { kind: 'gone' };
  const words = readGoogleError(response)?.words ?? `Google answered ${response.status}.`;
  return { kind: 'failed', reason: `${file.name}: ${words}` };
}

function damaged(file: DriveFile): SourceUnavailable {
  return new SourceUnavailable(`${file.name} arrived damaged.`);
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

function tooLarge(name: string, bytes: number): string {
  const megabytes = (count: number): number => Math.ceil(count / 1024 / 1024);
  return `${name} has ${megabytes(bytes)} MB; the limit is ${megabytes(MAX_FILE_BYTES)} MB. Split it.`;
}
