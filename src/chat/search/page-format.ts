import { posix } from 'node:path';

/** How to read the response to a request for a page. */
export type PageFormat =
  | { kind: 'html' }
  /** Text that is returned unchanged. */
  | { kind: 'text' }
  /** For the file parsers, which go by content and extension. */
  | { kind: 'file'; name: string }
  /** A picture, a film, a program. */
  | { kind: 'unreadable'; type: string };

const EXTENSION_BY_TYPE: Readonly<Record<string, string>> = {
  'text/csv': '.csv',
  'text/tab-separated-values': '.tsv',
  'application/pdf': '.pdf',
  'application/x-pdf': '.pdf',
  'application/epub+zip': '.epub',
  'message/rfc822': '.eml',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': '.pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
};
const FILE_EXTENSIONS = new Set(Object.values(EXTENSION_BY_TYPE));
/** What servers send for unknown types. */
const TELLS_NOTHING = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/force-download',
]);
const TEXT_TYPES =
  /^text\/|[/+](?:json|xml|yaml)$|^application\/(?:x-)?(?:javascript|ecmascript|yaml|toml|sh|sql|ndjson|jsonl)$/;
const HTML_TYPES = /^(?:text\/html|application\/xhtml\+xml)$/;
const HTML_START = /^[^\w<]*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype html|html[\s>])/i;

export function formatOfPage(place: URL, contentType: string, bytes: Buffer): PageFormat {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (HTML_TYPES.test(type)) return { kind: 'html' };
  const name = fileNameOf(place);
  const extension = posix.extname(name).toLowerCase();
  const ofType = EXTENSION_BY_TYPE[type];
  if (ofType !== undefined) {
    return { kind: 'file', name: extension === ofType ? name : `${name}${ofType}` };
  }
  const head = bytes.subarray(0, 1_024).toString('latin1');
  if (TELLS_NOTHING.has(type)) {
    if (HTML_START.test(head)) return { kind: 'html' };
    if (FILE_EXTENSIONS.has(extension)) return { kind: 'file', name };
    if (head.startsWith('%PDF-')) return { kind: 'file', name: `${name}.pdf` };
    return { kind: 'text' };
  }
  return TEXT_TYPES.test(type) ? { kind: 'text' } : { kind: 'unreadable', type: printable(type) };
}

/** The last segment of the path, or the host if there is none. */
export function fileNameOf(place: URL): string {
  const name = posix.basename(place.pathname);
  try {
    return decodeURIComponent(name) || place.host;
  } catch {
    return name;
  }
}

/** The header comes from the site, so it is sanitized before it is put into a message. */
function printable(type: string): string {
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/.test(type) ? type : 'something';
}
