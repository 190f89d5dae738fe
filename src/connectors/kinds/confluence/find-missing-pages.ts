import { PAGE, PAGE_EXPAND, pageMemoryKey } from './confluence-page.ts';
import type { ConfluenceSettings } from './confluence-settings.ts';
import type { ConfluenceSite } from './confluence-site.ts';
import type { ConnectorContext, MemoryEntry } from '#src/connectors/source/connector.ts';
import { baseCql } from './cql.ts';
import { pageSkip } from './fetch-confluence-page.ts';
import { PAGES_PER_REQUEST, searchContent, searchIds } from './search-content.ts';
import type { ContentCursor } from './walk-content.ts';

/** Listing all pages without their text costs a request per fifty pages. */
const LOOK_EVERY_MS = 24 * 60 * 60_000;
const LOOKED = 'looked-at-all';

/** When a run last listed all pages; null when none has since pages are remembered. */
export async function lastLook(context: ConnectorContext): Promise<Date | null> {
  const time = (await context.recall([LOOKED])).get(LOOKED);
  return typeof time === 'number' ? new Date(time) : null;
}

export function isLookDue(last: Date | null, now: Date): boolean {
  return last !== null && now.getTime() - last.getTime() >= LOOK_EVERY_MS;
}

export function lookMemory(now: Date): MemoryEntry {
  return { key: LOOKED, documentId: null, value: now.getTime() };
}

/**
 * Pages that should be in the index but are not. A page that was restored from the trash, moved into a space, made
 * visible to this account or freed of an excluded label does not count as changed, so no search by time finds it.
 */
export async function findMissingPages(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
  cursor: ContentCursor,
  context: ConnectorContext,
): Promise<{ results: unknown[]; next: ContentCursor | null }> {
  const query = {
    cql: baseCql(settings),
    expand: 'metadata.labels,history',
    limit: PAGES_PER_REQUEST,
  };
  const found = await searchContent(site, settings, query, cursor);
  const pages = found.results.flatMap((result) => PAGE.safeParse(result).data ?? []);
  const wanted = pages.filter((page) => pageSkip(page, settings) === null).map(({ id }) => id);
  const known = await knownPages(wanted, context);
  const missing = wanted.filter((id) => !known.has(id));
  return {
    results:
      missing.length === 0 ? [] : await searchIds(site, baseCql(settings), missing, PAGE_EXPAND),
    next: found.next,
  };
}

/** The given pages that are in the index. */
export async function knownPages(
  ids: readonly string[],
  context: ConnectorContext,
): Promise<Set<string>> {
  const known = await context.recall(ids.map(pageMemoryKey));
  return new Set(ids.filter((id) => known.has(pageMemoryKey(id))));
}
