import { XMLParser } from 'fast-xml-parser';
import { gunzipSync } from 'node:zlib';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { withoutLastComments } from '#src/connectors/source/without-last-comments.ts';

export interface SitemapPage {
  url: string;
  lastmod: string | null;
}

/** Either more sitemaps or pages. */
export interface Sitemap {
  sitemaps: string[];
  pages: SitemapPage[];
}

/** https://www.sitemaps.org/protocol.html: 50 MB uncompressed. Not all sitemaps keep its limit of 50,000 entries. */
export const MAX_SITEMAP_BYTES = 52_428_800;
const LAST_TAG_LENGTH = 2_000;

/**
 * Reads a sitemap, a sitemap index, or a text file with one URL per line, compressed or not, as defined in
 * https://www.sitemaps.org/protocol.html.
 * @returns null when the file is none of these
 * @throws SourceRefused when it is cut off or too large
 */
export function readSitemap(bytes: Buffer, name: string): Sitemap | null {
  const text = unpack(bytes, name)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
  if (/<(?:\w+:)?(?:urlset|sitemapindex)[\s>/]/i.test(text.slice(0, 5_000)))
    return readXml(text, name);
  return readLines(text);
}

/** `.xml.gz` with any content type; a `Content-Encoding` has already been decoded. */
function unpack(bytes: Buffer, name: string): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_SITEMAP_BYTES });
  } catch (error) {
    throw new SourceRefused(`The sitemap ${name} is damaged or unpacks to more than 50 MB.`, {
      cause: error,
    });
  }
}

function readXml(text: string, name: string): Sitemap {
  const isWhole =
    /<\/(?:\w+:)?(?:urlset|sitemapindex)\s*>$|<(?:\w+:)?(?:urlset|sitemapindex)[^<>]*\/>$/i;
  if (!isWhole.test(withoutLastComments(text).slice(-LAST_TAG_LENGTH))) {
    throw new SourceRefused(`The sitemap ${name} is cut off.`);
  }
  const parser = new XMLParser({
    removeNSPrefix: true,
    ignoreAttributes: true,
    parseTagValue: false,
    // Needed to decode numeric character references such as `&#038;`.
    htmlEntities: true,
    isArray: (tag) => tag === 'url' || tag === 'sitemap',
  });
  // The parser returns plain objects of unknown shape; every step below checks before it reads.
  const tree: unknown = parser.parse(text);
  return {
    sitemaps: entriesOf(tree, 'sitemapindex', 'sitemap').map(({ url }) => url),
    pages: entriesOf(tree, 'urlset', 'url'),
  };
}

function entriesOf(tree: unknown, root: string, tag: string): SitemapPage[] {
  const entries = field(field(tree, root), tag);
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) => {
    const url = field(entry, 'loc');
    const lastmod = field(entry, 'lastmod');
    if (typeof url !== 'string' || url.trim() === '') return [];
    return [
      { url: url.trim(), lastmod: typeof lastmod === 'string' ? lastmod.trim() || null : null },
    ];
  });
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? // `in` has just proved that the key exists.
      (value as Record<string, unknown>)[name]
    : undefined;
}

/** Except for blank lines and `#` comments, every line must be a URL. */
function readLines(text: string): Sitemap | null {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isList = lines.length > 0 && lines.every((line) => /^https?:\/\/\S+$/i.test(line));
  return isList ? { sitemaps: [], pages: lines.map((url) => ({ url, lastmod: null })) } : null;
}
