import type { SkippedDocument } from '#src/connectors/source/connector.ts';
import type { FrontierEntry } from './crawl-frontier.ts';
import { isInScope, readBaseUrl, readLink, withSchemeOf } from './page-address.ts';
import type { Crawl, PageReading } from './page-reading.ts';
import { MAX_SITEMAP_BYTES, readSitemap } from './read-sitemap.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';

/** What a sitemap adds to a crawl. */
export interface SitemapReading {
  kind: 'sitemap';
  entries: FrontierEntry[];
  skipped: SkippedDocument[];
}

/** An index may list indexes, although the protocol does not allow it. */
const MAX_NESTING = 5;

/**
 * Reads one sitemap of the frontier.
 * @throws the signal's reason
 */
export async function readSitemapEntry(
  crawl: Crawl,
  entry: FrontierEntry,
): Promise<SitemapReading | Extract<PageReading, { kind: 'failed' }>> {
  try {
    const { bytes } = await crawl.context.http.send({
      url: entry.url,
      maxBytes: MAX_SITEMAP_BYTES,
    });
    const sitemap = readSitemap(bytes, entry.url);
    if (!sitemap) throw new SourceRefused(`${entry.url} is not a sitemap.`);
    const reading: SitemapReading = { kind: 'sitemap', entries: [], skipped: [] };
    for (const link of sitemap.sitemaps) {
      const url = entry.depth < MAX_NESTING ? URL.parse(link, entry.url) : null;
      if (url)
        reading.entries.push({
          url: url.href,
          kind: 'sitemap',
          depth: entry.depth + 1,
          lastmod: null,
        });
    }
    for (const { url, lastmod } of sitemap.pages)
      addListed(crawl, entry, { url, lastmod }, reading);
    return reading;
  } catch (error) {
    crawl.context.signal.throwIfAborted();
    if (!(error instanceof SourceUnavailable || error instanceof SourceRefused)) throw error;
    return { kind: 'failed', reason: error.message, error };
  }
}

function addListed(
  { settings, scope }: Crawl,
  entry: FrontierEntry,
  listed: { url: string; lastmod: string | null },
  reading: SitemapReading,
): void {
  const link = readLink(listed.url, entry.url);
  if (!link) {
    reading.skipped.push({ documentId: null, reason: 'not a readable type' });
  } else if (isInScope(scope, link)) {
    const { href } = withSchemeOf(scope, link);
    reading.entries.push({ url: href, kind: 'page', depth: 0, lastmod: listed.lastmod });
  } else if (isSitemapAddress(settings.base_url)) {
    reading.skipped.push({ documentId: null, reason: 'on another host than the sitemap' });
  }
}

/** Whether the base URL is the sitemap itself and not a site with a sitemap. */
export function isSitemapAddress(baseUrl: string): boolean {
  return /\.(?:xml|xml\.gz|txt|gz)$|sitemap/i.test(readBaseUrl(baseUrl)?.pathname ?? '');
}
