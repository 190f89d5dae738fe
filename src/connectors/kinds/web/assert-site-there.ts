import { CLIENT_ERRORS } from '#src/connectors/source/client-errors.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import type { FrontierEntry } from './crawl-frontier.ts';
import { readBaseUrl } from './page-address.ts';
import type { Crawl, OpenReading, PageReading } from './page-reading.ts';
import { RobotsUnavailable } from './read-robots.ts';
import type { SitemapReading } from './read-sitemap-entry.ts';

/** After this many unreachable pages, the base URL is requested to see whether the site is up at all. */
const SUSPICIOUS_FAILURES = 8;

/**
 * An unreachable page is a failure of that page. Many in a row, or one that asks for a long pause, may mean that the
 * site is down: then the base URL is requested, and its response decides.
 */
export async function assertSiteThere(
  crawl: Crawl,
  entry: FrontierEntry,
  reading: OpenReading | PageReading | SitemapReading,
  isFirst: boolean,
): Promise<void> {
  const { settings, frontier } = crawl;
  const error = reading.kind === 'failed' ? reading.error : null;
  const type = settings.web_connector_type;
  // When there are several sitemaps, one of them is not the site.
  const isAlone = type === 'sitemap' ? frontier.known === 1 : type !== 'upload';
  const isBase = isFirst && isAlone;
  if (isBase && error) throw error;
  const isOfSite = new URL(entry.url).host === crawl.scope.host;
  if (error instanceof RobotsUnavailable && isOfSite && type !== 'upload') throw error;
  if (isBase && type === 'recursive' && reading.kind !== 'read' && reading.kind !== 'open') {
    assertBaseReadable(entry, reading);
  }
  if (!(error instanceof SourceUnavailable)) {
    if (error === null) crawl.unavailableInARow = 0;
    return;
  }
  crawl.unavailableInARow += 1;
  const isAsked = error.retryAfterMs !== null;
  if (!isAsked && crawl.unavailableInARow < SUSPICIOUS_FAILURES) return;
  crawl.unavailableInARow = 0;
  const base = type === 'upload' ? null : readBaseUrl(settings.base_url);
  // The URLs of an upload belong to many sites, and none of them stands for the others.
  if (!base) return;
  await crawl.context.http.send({ url: base.href, expect: CLIENT_ERRORS });
}

/** A crawl cannot start from a base URL that is not a page. */
function assertBaseReadable(
  entry: FrontierEntry,
  reading: OpenReading | PageReading | SitemapReading,
): void {
  if (reading.kind === 'gone') throw new SourceRefused(`There is no page at ${entry.url}.`);
  if (reading.kind === 'failed') throw new SourceRefused(reading.reason);
  if (reading.kind === 'skipped' && reading.links.length === 0) {
    throw new SourceRefused(`The base URL ${entry.url} cannot be crawled: ${reading.reason}.`);
  }
}
