import { gunzipSync } from 'node:zlib';

/** The part of a sitemap that is read, compressed or not. */
export const SITEMAP_BYTES = 2 * 1024 * 1024;
const MAX_LINKS = 5_000;

/** The content of a sitemap; for a truncated one, the entries before the cut. */
export interface SitemapLinks {
  pages: string[];
  /** Further sitemaps: those of pages before those of posts and products. */
  sitemaps: string[];
}

/** The URLs in a sitemap or sitemap index (https://www.sitemaps.org/protocol.html); empty when it is neither. */
export function readSitemapLinks(bytes: Buffer): SitemapLinks {
  const text = unpack(bytes).toString('utf8');
  const links: string[] = [];
  for (const match of text.matchAll(/<(?:\w{1,20}:)?loc>\s*(?:<!\[CDATA\[)?([^<\]]{1,2000})/gi)) {
    const isWhole = match.index + match[0].length < text.length;
    if (isWhole) links.push(plainText(match[1] ?? ''));
    if (links.length >= MAX_LINKS) break;
  }
  if (!/<(?:\w{1,20}:)?sitemapindex[\s>]/i.test(text.slice(0, 5_000))) {
    return { pages: links, sitemaps: [] };
  }
  return {
    pages: [],
    sitemaps: links.toSorted((a, b) => Number(isOfPages(b)) - Number(isOfPages(a))),
  };
}

function isOfPages(link: string): boolean {
  return /page|main|static|general/i.test(link.slice(link.lastIndexOf('/')));
}

function unpack(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: SITEMAP_BYTES });
  } catch {
    // Damaged, or far too long: treated as empty.
    return Buffer.alloc(0);
  }
}

function plainText(link: string): string {
  return link.trim().replaceAll(/&#0*38;|&#x0*26;|&amp;/gi, '&');
}
