import { posix } from 'node:path';

const TEXT_EXTENSIONS =
  'adoc asciidoc bash c cc cfg clj conf cpp cs css csv dart ex go gradle graphql groovy h hpp hs htm html ini java jl js json jsonl jsx kt less log lua markdown md mdx mjs ndjson org php pl po properties proto ps1 py r rb rs rst scala scss sh sql srt swift tab tex text toml ts tsv tsx txt vtt vue xhtml xml yaml yml';
const DOCUMENT_EXTENSIONS = 'docx eml epub pdf pptx xlsx';
const READABLE_EXTENSIONS = new Set(`${TEXT_EXTENSIONS} ${DOCUMENT_EXTENSIONS}`.split(' '));

/** The file extension that tells the parsers the media type. */
const EXTENSION_BY_MEDIA_TYPE: Record<string, string> = {
  'application/epub+zip': 'epub',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/xml': 'xml',
  'message/rfc822': 'eml',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/tab-separated-values': 'tsv',
  'text/xml': 'xml',
};

/**
 * The name under which a file is passed to the parsers: its own, or with an extension derived from its media type
 * when its own says nothing.
 * @returns null when neither name nor media type indicates text; such a file is not fetched at all
 */
export function readableName(name: string, mediaType: string | null): string | null {
  const extension = extensionOf(name);
  if (READABLE_EXTENSIONS.has(extension)) return name;
  const type = (mediaType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const known = EXTENSION_BY_MEDIA_TYPE[type] ?? (type.startsWith('text/') ? 'txt' : null);
  return known === null ? null : `${name}.${known}`;
}

/** Lower case, without the dot; empty when the name has none. */
function extensionOf(name: string): string {
  return posix.extname(name).slice(1).toLowerCase();
}

/** Why a file is skipped, for the counts of skipped documents. */
export const NOT_READABLE = 'not a type of file that holds text';
