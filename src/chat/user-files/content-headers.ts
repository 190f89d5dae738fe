/** Types that a browser only shows, and never runs. */
const SHOWN = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'application/pdf',
  'text/plain',
]);
/** Text that a browser might run or pass to a program that does. */
const TEXT =
  /^(?:text\/|application\/(?:xml|json|javascript|ecmascript|xhtml\+xml)|image\/svg)|\+xml$/;
/** Text that nothing runs keeps its type. */
const HARMLESS_TEXT = new Set(['text/csv', 'text/tab-separated-values', 'text/markdown']);
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/**
 * Headers for serving a stranger's file to a browser: pictures, PDF and text are shown, text that might run is served
 * as plain text, the rest is a download. Nothing runs in this origin.
 */
export function contentHeaders(file: { name: string; mediaType: string }): {
  contentType: string;
  headers: Record<string, string>;
} {
  const [sent = ''] = file.mediaType.toLowerCase().split(';');
  const type = sent.trim();
  const isText = TEXT.test(type);
  const isKnown = MEDIA_TYPE.test(type);
  const contentType = isText
    ? `${HARMLESS_TEXT.has(type) ? type : 'text/plain'}; charset=utf-8`
    : isKnown
      ? type
      : 'application/octet-stream';
  const disposition = isText || SHOWN.has(type) ? 'inline' : 'attachment';
  return {
    contentType,
    headers: {
      'Content-Disposition': `${disposition}; filename="${asciiName(file.name)}"; filename*=UTF-8''${encodeName(file.name)}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
    },
  };
}

/** For clients without support for RFC 6266's `filename*`. */
function asciiName(name: string): string {
  return name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
}

/** RFC 8187. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
