import { z } from 'zod';
import {
  type ConnectorContext,
  type ConnectorPage,
  defineConnector,
  pageOf,
  type PollContext,
} from '#src/connectors/source/connector.ts';
import { crawlSite, PAGES_PER_STEP } from './crawl-site.ts';
import { checkpointOf, openCrawl, type WebCheckpoint, webCheckpoint } from './open-crawl.ts';
import type { FrontierEntry } from './crawl-frontier.ts';
import type { Crawl } from './page-reading.ts';
import { readPage } from './read-page.ts';
import { readSitemapEntry } from './read-sitemap-entry.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { type WebSettings, webSettings } from './web-settings.ts';

const MAX_SITEMAPS_CHECKED = 5;

/** Pages of a web site. Written from the RFCs and web pages linked in its parts. */
export const web = defineConnector({
  kind: 'web',
  aliases: [],
  title: 'Web site',
  summary: 'The readable text of web pages: one page, all below an address, or those of a sitemap.',
  settings: webSettings,
  credential: z.strictObject({}),
  checkpoint: webCheckpoint,
  limits: { concurrentRequests: 8, requestsPerSecond: null, documentsPerPage: PAGES_PER_STEP },
  defaultRefreshSeconds: 24 * 60 * 60,
  check: (settings, _, context) => checkWeb(settings, context),
  poll: (settings, _, checkpoint, context) => pollWeb(settings, checkpoint, context),
  listIds: (settings, _, context) => listWebIds(settings, context),
});

/** Reads the first page, or the first sitemap, as the crawl will. */
async function checkWeb(settings: WebSettings, context: ConnectorContext): Promise<void> {
  if (settings.render_javascript && !context.renderer) {
    throw new SourceRefused(
      'render_javascript needs Chromium: install it on the server, or name it in CHROMIUM_PATH.',
    );
  }
  const crawl = await openCrawl(settings, context, { checkpoint: null, contentNeeded: true });
  const [first, ...others] = crawl.frontier.take(MAX_SITEMAPS_CHECKED);
  if (!first) throw new SourceRefused('There is nothing to crawl.');
  if (first.kind === 'sitemap') {
    await checkSitemaps(crawl, [first, ...others]);
    return;
  }
  const opened = await readPage(crawl, first, null);
  const reading = opened.kind === 'open' ? await opened.finish() : opened;
  switch (reading.kind) {
    case 'read':
      return;
    case 'gone':
      throw new SourceRefused(`There is no page at ${first.url}.`);
    case 'failed':
      throw reading.error ?? new SourceRefused(reading.reason);
    case 'skipped':
      // A page that is not indexed may still link to others.
      if (reading.links.length === 0) {
        throw new SourceRefused(`${first.url} cannot be indexed: ${reading.reason}.`);
      }
  }
}

/** One sitemap that lists pages is enough. */
async function checkSitemaps(crawl: Crawl, sitemaps: readonly FrontierEntry[]): Promise<void> {
  let problem: Error | null = null;
  for (const entry of sitemaps) {
    const sitemap = await readSitemapEntry(crawl, entry);
    if (sitemap.kind === 'failed') problem ??= sitemap.error ?? new SourceRefused(sitemap.reason);
    else if (sitemap.entries.length > 0) return;
    else problem ??= new SourceRefused(`${entry.url} lists no pages.`);
  }
  if (problem) throw problem;
}

async function* pollWeb(
  settings: WebSettings,
  checkpoint: WebCheckpoint | null,
  context: PollContext,
): AsyncGenerator<ConnectorPage<WebCheckpoint>> {
  const crawl = await openCrawl(settings, context, { checkpoint, contentNeeded: true });
  const { frontier } = crawl;
  const standing = () => ({
    checkpoint: checkpointOf(crawl),
    description: `${frontier.settled} of ${frontier.known} known pages`,
    // A recursive crawl does not know in advance what it will find.
    estimatedTotal: settings.web_connector_type === 'recursive' ? null : frontier.knownPages,
  });
  for await (const { lasting: _, gap: __, ...harvest } of crawlSite(crawl)) {
    yield pageOf({ ...harvest, ...standing() });
  }
}

/**
 * Crawls like a run, with conditional requests for known pages. A known page that fails counts as existing, so that
 * one broken page does not block the pruning of all others.
 */
async function* listWebIds(
  settings: WebSettings,
  context: ConnectorContext,
): AsyncGenerator<string[]> {
  const crawl = await openCrawl(settings, context, { checkpoint: null, contentNeeded: false });
  for await (const { documents, unchanged, lasting, gap } of crawlSite(crawl)) {
    if (gap !== null) throw new SourceUnavailable(`The listing is incomplete: ${gap}`);
    yield [...documents.map(({ id }) => id), ...unchanged, ...lasting];
  }
}
