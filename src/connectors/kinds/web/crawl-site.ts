import { assertSiteThere } from './assert-site-there.ts';
import type { FrontierEntry } from './crawl-frontier.ts';
import { addPage, emptyHarvest, type Harvest } from './harvest-page.ts';
import { pageMemory, pageMemoryKey, type PageMemory, unpackLinks } from './page-memory.ts';
import type { Crawl, OpenReading, PageReading } from './page-reading.ts';
import { readPage } from './read-page.ts';
import { readSitemapEntry, type SitemapReading } from './read-sitemap-entry.ts';

export const PAGES_PER_STEP = 32;

/** An entry of the frontier and what was found there. */
interface Visit {
  entry: FrontierEntry;
  remembered: PageMemory | null;
  reading: OpenReading | PageReading | SitemapReading;
}

/** The visits of a step. */
interface Step {
  visits: Visit[];
  /** What ended the step early: the visits before it are valid. */
  error: Error | null;
}

/**
 * Visits the frontier to its end, a few pages at a time. Each entry ends up in exactly one list of a harvest; a
 * sitemap in none, unless it fails. What a step discovers is part of its harvest's memory. The text of pages is
 * extracted when all pages of the step have been fetched, because only several pages show what their site puts around
 * them.
 * @throws SourceUnavailable when the whole site is down, SourceRefused when there is nothing at the base URL
 */
export async function* crawlSite(crawl: Crawl): AsyncGenerator<Harvest, void> {
  const { frontier, frame, context } = crawl;
  for (;;) {
    context.signal.throwIfAborted();
    const { visits, error } = await visitSome(crawl);
    if (visits.length === 0 && error === null) return;
    for (const { reading } of visits) if (reading.kind === 'open') reading.learn();
    const harvest = emptyHarvest();
    for (const { entry, remembered, reading } of visits) {
      if (reading.kind === 'sitemap') harvest.skipped.push(...reading.skipped);
      else {
        const read = reading.kind === 'open' ? await reading.finish() : reading;
        addPage(crawl, { entry, remembered, reading: read }, harvest);
      }
      frontier.settle();
    }
    if (error !== null && visits.length === 0) throw error;
    for (let cut = frontier.countTooDeep(); cut > 0; cut -= 1) {
      harvest.skipped.push({ documentId: null, reason: 'deeper than max_depth' });
    }
    if (frontier.settled === frontier.known && frontier.position.overflowed) {
      harvest.skipped.push({ documentId: null, reason: 'further pages: max_pages is reached' });
    }
    harvest.memory.push(...frontier.save(), ...frame.save());
    yield harvest;
    if (error !== null) throw error;
  }
}

/** As many pages as a step may have: queued ones, and those that they link to. */
async function visitSome(crawl: Crawl): Promise<Step> {
  const { frontier } = crawl;
  const visits: Visit[] = [];
  crawl.openCharacters = 0;
  try {
    while (visits.length < PAGES_PER_STEP) {
      const entries = frontier.take(PAGES_PER_STEP - visits.length);
      if (entries.length === 0) break;
      const found = await visitAll(crawl, entries);
      for (const [index, { entry, reading }] of found.entries()) {
        const isFirst = frontier.settled + visits.length + index === 0;
        await assertSiteThere(crawl, entry, reading, isFirst);
      }
      for (const visit of found) discover(crawl, visit);
      visits.push(...found);
    }
  } catch (error) {
    crawl.context.signal.throwIfAborted();
    return { visits, error: error instanceof Error ? error : new Error(String(error)) };
  }
  return { visits, error: null };
}

async function visitAll(crawl: Crawl, entries: readonly FrontierEntry[]): Promise<Visit[]> {
  const known = await recallPages(crawl, entries);
  // Waits for all, so that nothing continues in the background when one of them ends the crawl.
  const settled = await Promise.allSettled(
    entries.map(async (entry): Promise<Visit> => {
      const remembered = known.get(entry) ?? null;
      const reading =
        entry.kind === 'sitemap'
          ? await readSitemapEntry(crawl, entry)
          : await readPage(crawl, entry, remembered);
      return { entry, remembered, reading };
    }),
  );
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

async function recallPages(
  { context }: Crawl,
  entries: readonly FrontierEntry[],
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

/** The links of a page or sitemap. When a page fails, the links from its last successful read are used. */
function discover(crawl: Crawl, { entry, remembered, reading }: Visit): void {
  switch (reading.kind) {
    case 'sitemap':
      for (const listed of reading.entries) crawl.frontier.add(listed);
      break;
    case 'open':
    case 'read':
      crawl.scope = reading.scope;
      follow(crawl, entry, reading.links);
      break;
    case 'skipped':
      follow(crawl, entry, reading.links);
      break;
    case 'failed':
      if (remembered) follow(crawl, entry, unpackLinks(remembered));
      break;
    case 'gone':
  }
}

function follow({ frontier, settings }: Crawl, { depth }: FrontierEntry, links: URL[]): void {
  for (const { href } of links) {
    if (depth >= settings.max_depth) frontier.passBy(href);
    else frontier.add({ url: href, kind: 'page', depth: depth + 1, lastmod: null });
  }
}
