import { posix } from 'node:path';

/** How to read a response. */
export type PageKind =
  | { kind: 'html' }
  /** For the file parsers, which detect the format by content and extension. */
  | { kind: 'file'; name: string }
  /** A picture, a film, a program, data. */
  | { kind: 'unreadable' }
  /** Its content does not match its type: something stands in front of the page. */
  | { kind: 'mislabelled' };

const EXTENSION_BY_TYPE: Record<string, string> = {
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/x-markdown': 'md',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
  'application/epub+zip': 'epub',
  'message/rfc822': 'eml',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};
const READABLE_EXTENSIONS = new Set(Object.values(EXTENSION_BY_TYPE));
/** Types that servers use for unknown content. */
const TELLS_NOTHING = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/force-download',
]);

export function kindOfAnswer(place: URL, contentType: string, bytes: Buffer): PageKind {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const head = bytes.subarray(0, 1_024).toString('latin1');
  const looksLikeHtml =
    /^[^\w<]*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype html|html[\s>])/i.test(head);
  if (type === 'text/html' || type === 'application/xhtml+xml') return { kind: 'html' };
  if (TELLS_NOTHING.has(type) && looksLikeHtml) return { kind: 'html' };
  if (/[/+]json$/.test(type) && !/^\s*[[{"\d]/.test(head)) return { kind: 'mislabelled' };
  const name = decodeName(posix.basename(place.pathname)) || place.host;
  const extension = posix.extname(name).slice(1).toLowerCase();
  const byType = EXTENSION_BY_TYPE[type];
  if (byType === undefined) {
    const isKnown = TELLS_NOTHING.has(type) && READABLE_EXTENSIONS.has(extension);
    return isKnown ? { kind: 'file', name } : { kind: 'unreadable' };
  }
  // Many servers send Markdown and tables as `text/plain`.
  const isNamed = extension === byType || (byType === 'txt' && READABLE_EXTENSIONS.has(extension));
  return { kind: 'file', name: isNamed ? name : `${name}.${byType}` };
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
