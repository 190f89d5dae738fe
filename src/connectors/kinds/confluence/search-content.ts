import { z } from 'zod';
import type { ConfluenceSettings } from './confluence-settings.ts';
import {
  type ConfluenceSite,
  type ContentList,
  listContent,
  type ListPlace,
} from './confluence-site.ts';
import { createdSinceCql, inOrderOfCreation } from './cql.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { type ContentCursor, type WalkedContent, walkContent } from './walk-content.ts';

export const PAGES_PER_REQUEST = 50;

export interface ContentQuery {
  /** Without ORDER BY. */
  cql: string;
  expand: string;
  limit: number;
}

/** The next page of results. */
export async function searchContent(
  site: ConfluenceSite,
  settings: Pick<ConfluenceSettings, 'timezoneOffsetHours'>,
  query: ContentQuery,
  cursor: ContentCursor,
): Promise<WalkedContent> {
  return walkContent(cursor, async (createdFrom, place) => {
    const from = createdFrom && createdSinceCql(createdFrom, settings.timezoneOffsetHours);
    return search(site, { ...query, cql: inOrderOfCreation(query.cql, from) }, place);
  });
}

async function search(
  site: ConfluenceSite,
  { cql, expand, limit }: ContentQuery,
  place: ListPlace | null,
): Promise<ContentList> {
  return listContent(site, 'content/search', { cql, expand, limit: String(limit) }, place);
}

/** The results of a query among these ids, in any order. One search can return all of them. */
export async function searchIds(
  site: ConfluenceSite,
  cql: string,
  ids: readonly string[],
  expand: string,
): Promise<unknown[]> {
  const results: unknown[] = [];
  const wanted = inOrderOfCreation(cql, `id in (${ids.join(', ')})`);
  const query = { cql: wanted, expand, limit: PAGES_PER_REQUEST };
  let place: ListPlace | null = null;
  do {
    const list: ContentList = await search(site, query, place);
    results.push(...list.results);
    place = list.results.length === 0 ? null : list.next;
  } while (place !== null);
  return results;
}

/**
 * How many results a query has, for servers whose content search does not report it; null when they cannot be
 * counted.
 * https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-search/#api-wiki-rest-api-search-get
 */
export async function countContent(
  { http, api }: ConfluenceSite,
  cql: string,
): Promise<number | null> {
  const url = `${api}/rest/api/search?${new URLSearchParams({ cql, limit: '1' })}`;
  try {
    const { data } = await http.json({ url }, z.object({ totalSize: z.number().nullish() }));
    return data.totalSize ?? null;
  } catch (error) {
    // An estimate is worth one request but not a failed run.
    if (error instanceof SourceRefused) return null;
    throw error;
  }
}
