import { CLIENT_ERRORS } from '#src/connectors/source/client-errors.ts';
import type { ConnectorPage } from '#src/connectors/connector.ts';
import type { FrontierEntry } from './crawl-frontier.ts';
import { addressKey, readBaseUrl } from './page-address.ts';
import { pageMemory, pageMemoryKey, type PageMemory, unpackLinks } from './page-memory.ts';
import type { Crawl, PageReading } from './page-reading.ts';
import { readPage } from './read-page.ts';
import { RobotsUnavailable } from './read-robots.ts';
import { readSitemapEntry, type SitemapReading } from './read-sitemap-entry.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source-errors.ts';

/** What one step of a crawl brought. */
export interface Harvest extends Pick<
  ConnectorPage<unknown>,
  'documents' | 'unchanged' | 'skipped' | 'failures' | 'removed' | 'memory'
> {
  /** Documents of pages that failed and had been read before: they, and what they lead to, may well be there. */
  lasting: string[];
  /** Why pages may be there that this crawl does not see; null when it sees all. */
  gap: string | null;
}

export const PAGES_PER_STEP = 32;
/** After as many pages that could not be reached the base URL is asked whether the site is there at all. */
const SUSPICIOUS_FAILURES = 8;

/**
 * Visits the frontier to its end, some pages at a time. Each entry ends in exactly one list of a harvest; a sitemap in
 * none, unless it fails. What a step discovers is part of its harvest's memory.
 * @throws SourceUnavailable when the whole site is away, SourceRefused when there is nothing at the base URL
 */
export async function* crawlSite(crawl: Crawl): AsyncGenerator<Harvest, void> {
  const { frontier, context } = crawl;
  for (;;) {
    context.signal.throwIfAborted();
    const entries = frontier.take(PAGES_PER_STEP);
    if (entries.length === 0) return;
    const known = await recallPages(crawl, entries);
    // All of them, so that nothing goes on in the background when one of them ends the crawl.
    const settled = await Promise.allSettled(
      entries.map((entry) =>
        entry.kind === 'sitemap'
          ? readSitemapEntry(crawl, entry)
          : readPage(crawl, entry, known.get(entry) ?? null),
      ),
    );
    const harvest: Harvest = {
      documents: [],
      unchanged: [],
      skipped: [],
      failures: [],
      removed: [],
      memory: [],
      lasting: [],
      gap: null,
    };
    for (const [index, result] of settled.entries()) {
      if (result.status === 'rejected') throw result.reason;
      const entry = entries[index];
      if (!entry) continue;
      await assertSiteThere(crawl, entry, result.value);
      if (result.value.kind === 'sitemap') addSitemap(crawl, result.value, harvest);
      else addPage(crawl, entry, known.get(entry) ?? null, result.value, harvest);
      frontier.settle();
    }
    if (frontier.settled === frontier.known && frontier.position.overflowed) {
      harvest.skipped.push({ documentId: null, reason: 'further pages: max_pages is reached' });
    }
    harvest.memory.push(...frontier.save());
    yield harvest;
  }
}

async function recallPages(
  { context }: Crawl,
  entries: FrontierEntry[],
): Promise<Map<FrontierEntry, PageMemory>> {
  const pages = entries.filter(({ kind }) => kind === 'page');
  const values = await context.recall(pages.map(({ url }) => pageMemoryKey(url)));
  const found = new Map<FrontierEntry, PageMemory>();
  for (const entry of pages) {
    const memory = pageMemory.safeParse(values.get(pageMemoryKey(entry.url)));
    if (memory.success) found.set(entry, memory.data);
  }
  return found;
}

function addSitemap({ frontier }: Crawl, reading: SitemapReading, harvest: Harvest): void {
  for (const entry of reading.entries) frontier.add(entry);
  harvest.skipped.push(...reading.skipped);
}

function addPage(
  crawl: Crawl,
  entry: FrontierEntry,
  remembered: PageMemory | null,
  reading: PageReading,
  harvest: Harvest,
): void {
  const documentId = remembered?.id ?? entry.url;
  switch (reading.kind) {
    case 'read':
      addRead(crawl, entry, reading, harvest);
      break;
    case 'skipped':
      follow(crawl, entry, reading.links);
      harvest.skipped.push({ documentId, reason: reading.reason });
      break;
    case 'gone':
      addGone(crawl, entry, remembered, harvest);
      break;
    case 'failed':
      addFailed(crawl, entry, remembered, reading, harvest);
      break;
  }
  meetWaiting(crawl, entry, reading, harvest);
}

function addGone(
  { frontier }: Crawl,
  entry: FrontierEntry,
  remembered: PageMemory | null,
  harvest: Harvest,
): void {
  // Only one of several addresses of a page may have gone: pruning will tell whether the page has, too.
  const isItself = remembered && addressKey(remembered.id) === addressKey(entry.url);
  if (isItself && frontier.claim(remembered.id)) harvest.removed.push(remembered.id);
  else {
    const reason = 'a link to a page that does not exist';
    harvest.skipped.push({ documentId: entry.url, reason });
  }
}

function addFailed(
  crawl: Crawl,
  entry: FrontierEntry,
  remembered: PageMemory | null,
  { reason, error }: Extract<PageReading, { kind: 'failed' }>,
  harvest: Harvest,
): void {
  const isPage = entry.kind === 'page';
  harvest.failures.push({
    documentId: isPage ? (remembered?.id ?? entry.url) : null,
    entityId: isPage ? null : entry.url,
    link: entry.url,
    reason,
  });
  if (remembered) {
    // What it led to when it could be read last is not lost with it.
    follow(crawl, entry, unpackLinks(remembered));
    harvest.lasting.push(remembered.id);
  } else if (!isPage || error instanceof SourceUnavailable) harvest.gap ??= reason;
}

/** The pages that named this one as their canonical address: without it they are documents of their own. */
function meetWaiting(
  { frontier }: Crawl,
  entry: FrontierEntry,
  { kind }: PageReading,
  { skipped }: Harvest,
): void {
  const isThere = kind === 'read' || kind === 'failed';
  for (const waiting of frontier.meet(entry.url)) {
    if (isThere)
      skipped.push({ documentId: null, reason: 'a page with another canonical address' });
    else frontier.revisit(waiting);
  }
}

function addRead(
  crawl: Crawl,
  entry: FrontierEntry,
  reading: Extract<PageReading, { kind: 'read' }>,
  harvest: Harvest,
): void {
  const { frontier } = crawl;
  const { id, document, memory, links, isCut, scope } = reading;
  crawl.scope = scope;
  follow(crawl, entry, links);
  if (isCut === true) {
    harvest.skipped.push({ documentId: null, reason: 'more links than are followed from a page' });
  }
  const isElsewhere = addressKey(id) !== addressKey(entry.url);
  // The page at the canonical address itself is better than one that only names it.
  if (isElsewhere && frontier.isPending(id)) {
    frontier.putOff(entry, id);
    return;
  }
  if (!frontier.claim(id)) {
    harvest.skipped.push({ documentId: null, reason: 'the same page as another one' });
    return;
  }
  if (document) harvest.documents.push(document);
  else harvest.unchanged.push(id);
  if (memory) {
    harvest.memory.push({ key: pageMemoryKey(entry.url), documentId: id, value: memory });
  }
}

function follow({ frontier, settings }: Crawl, { depth }: FrontierEntry, links: URL[]): void {
  if (depth >= settings.max_depth) return;
  for (const { href } of links) {
    frontier.add({ url: href, kind: 'page', depth: depth + 1, lastmod: null });
  }
}

/**
 * A page that cannot be reached is that page's failure. Many in a row, or one that asks to be left alone for long,
 * may mean that the site is away: then the base URL is asked, and its answer decides.
 */
async function assertSiteThere(
  crawl: Crawl,
  entry: FrontierEntry,
  reading: PageReading | SitemapReading,
): Promise<void> {
  const { settings, frontier } = crawl;
  const error = reading.kind === 'failed' ? reading.error : null;
  const type = settings.web_connector_type;
  // One of several sitemaps is not the site.
  const isAlone = type === 'sitemap' ? frontier.known === 1 : type !== 'upload';
  const isBase = frontier.settled === 0 && isAlone;
  if (isBase && error) throw error;
  const isOfSite = new URL(entry.url).host === crawl.scope.host;
  if (error instanceof RobotsUnavailable && isOfSite && type !== 'upload') throw error;
  if (isBase && type === 'recursive' && reading.kind !== 'read') {
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
function assertBaseReadable(entry: FrontierEntry, reading: PageReading | SitemapReading): void {
  if (reading.kind === 'gone') throw new SourceRefused(`There is no page at ${entry.url}.`);
  if (reading.kind === 'failed') throw new SourceRefused(reading.reason);
  if (reading.kind === 'skipped' && reading.links.length === 0) {
    throw new SourceRefused(`The base URL ${entry.url} cannot be crawled: ${reading.reason}.`);
  }
}
