import { z } from 'zod';
import { decodeText } from '#src/files/decode-text.ts';
import type { StoredFileId } from '#src/ids.ts';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import { CrawlFrontier, type FrontierEntry, frontierPosition } from './crawl-frontier.ts';
import { hashOf, readBaseUrl, readLink, scopeOf, type SiteScope } from './page-address.ts';
import type { Crawl } from './page-reading.ts';
import { openRobots, type Robots } from './read-robots.ts';
import { isSitemapAddress } from './read-sitemap-entry.ts';
import { SiteFrame } from './site-frame.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import type { WebSettings } from './web-settings.ts';

/** A few hundred bytes, however large the site; see `CrawlFrontier` for the rest of a crawl's state. */
export const webCheckpoint = z.object({
  /** Hash of the settings: a crawl does not continue under other settings. */
  settings: z.string(),
  scope: z.object({ protocol: z.string(), host: z.string(), path: z.string() }),
  frontier: frontierPosition,
  unavailableInARow: z.int().nonnegative(),
});
export type WebCheckpoint = z.infer<typeof webCheckpoint>;

export function checkpointOf(crawl: Crawl): WebCheckpoint {
  return {
    settings: hashOf(JSON.stringify(crawl.settings)),
    scope: crawl.scope,
    frontier: crawl.frontier.position,
    unavailableInARow: crawl.unavailableInARow,
  };
}

/**
 * Opens a crawl at its checkpoint, or at the beginning.
 * @throws SourceRefused when there is nothing to start from
 */
export async function openCrawl(
  settings: WebSettings,
  context: ConnectorContext,
  options: { checkpoint: WebCheckpoint | null; contentNeeded: boolean },
): Promise<Crawl> {
  const { checkpoint, contentNeeded } = options;
  const robots = openRobots(context, settings.respect_robots_txt);
  const frame = await SiteFrame.open(context);
  const begin = (): Crawl => ({
    settings,
    context,
    robots,
    contentNeeded,
    frontier: new CrawlFrontier(settings.max_pages),
    scope: initialScope(settings),
    unavailableInARow: 0,
    frame,
    openCharacters: 0,
  });
  const crawl = begin();
  if (checkpoint && checkpoint.settings === checkpointOf(crawl).settings) {
    crawl.scope = checkpoint.scope;
    crawl.unavailableInARow = checkpoint.unavailableInARow;
    if (await crawl.frontier.restore(checkpoint.frontier, context)) return crawl;
  }
  const fresh = begin();
  for (const entry of await findSeeds(settings, context, robots)) fresh.frontier.add(entry);
  return fresh;
}

/**
 * A sitemap applies to its whole host (https://www.sitemaps.org/protocol.html#location says: to its folder; few
 * comply).
 */
function initialScope(settings: WebSettings): SiteScope {
  const base = readBaseUrl(settings.base_url) ?? new URL('https://upload.invalid');
  const isSitemap =
    settings.web_connector_type === 'sitemap' && isSitemapAddress(settings.base_url);
  return isSitemap ? { ...scopeOf(base), path: '/' } : scopeOf(base);
}

/** @throws SourceRefused */
async function findSeeds(
  settings: WebSettings,
  context: ConnectorContext,
  robots: Robots,
): Promise<FrontierEntry[]> {
  const seed = (url: string, kind: FrontierEntry['kind']): FrontierEntry => ({
    url,
    kind,
    depth: 0,
    lastmod: null,
  });
  if (settings.web_connector_type === 'upload') {
    return (await readUpload(settings.base_url, context)).map((url) => seed(url, 'page'));
  }
  const base = readBaseUrl(settings.base_url);
  if (!base) throw new SourceRefused(`${settings.base_url} is not a web address.`);
  if (settings.web_connector_type !== 'sitemap') return [seed(base.href, 'page')];
  if (isSitemapAddress(settings.base_url)) return [seed(base.href, 'sitemap')];
  const named = await robots.sitemaps(base.href);
  const found = named.flatMap((url) => URL.parse(url, base)?.href ?? []);
  const urls = found.length > 0 ? found : [new URL('/sitemap.xml', base).href];
  return urls.map((url) => seed(url, 'sitemap'));
}

async function readUpload(fileId: string, context: ConnectorContext): Promise<string[]> {
  const isId = z.uuid().safeParse(fileId).success;
  // The pattern has just been checked.
  const file = isId ? await context.files.read(fileId as StoredFileId) : null;
  if (!file) throw new SourceRefused(`There is no uploaded file with the id ${fileId}.`);
  const text = decodeText(file.bytes);
  if (text === null) throw new SourceRefused(`${file.name} is not a text file.`);
  const lines = text.split('\n').map((line) => line.trim());
  const urls = lines.flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const url = readBaseUrl(line);
    const link = url && readLink(url.href, url);
    if (!link)
      throw new SourceRefused(
        `${file.name} has a line that is not a web address: ${line.slice(0, 200)}`,
      );
    return [link.href];
  });
  if (urls.length === 0) throw new SourceRefused(`${file.name} contains no addresses.`);
  return urls;
}
