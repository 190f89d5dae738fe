import { CLIENT_ERRORS } from '#src/connectors/source/client-errors.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import type { FrontierEntry } from './crawl-frontier.ts';
import { readBaseUrl } from './page-address.ts';
import type { Crawl, OpenReading, PageReading } from './page-reading.ts';
import { RobotsUnavailable } from './read-robots.ts';
import type { SitemapReading } from './read-sitemap-entry.ts';

/** After as many pages that could not be reached the base URL is asked whether the site is there at all. */
const SUSPICIOUS_FAILURES = 8;

/**
 * A page that cannot be reached is that page's failure. Many in a row, or one that asks to be left alone for long,
 * may mean that the site is away: then the base URL is asked, and its answer decides.
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
  // One of several sitemaps is not the site.
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
  // The addresses of an upload are of many sites, none of which speaks for the others.
  if (!base) return;
  await crawl.context.http.send({ url: base.href, expect: CLIENT_ERRORS });
}

/** Nothing can be crawled from a base URL that is no page. */
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
