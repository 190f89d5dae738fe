import { z } from 'zod';
import type { ConfluenceSettings } from './confluence-settings.ts';
import { type ConfluenceSite, listContent } from './confluence-site.ts';
import { baseCql } from './cql.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

/**
 * Reads one item that the settings name. A search in a missing space just finds nothing, so the space itself is
 * requested.
 * https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-space/#api-spaces-get
 * https://docs.atlassian.com/ConfluenceServer/rest/8.9.3/#api/space-space
 * @throws SourceRefused
 */
export async function checkConfluence(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
): Promise<void> {
  const { cql, pageId, space } = settings;
  if (cql === null && pageId === null && space !== null) await checkSpace(site, space);
  const query = { cql: baseCql(settings), limit: '1' };
  const { results } = await listContent(site, 'content/search', query, null);
  if (cql === null && pageId !== null && results.length === 0) {
    throw new SourceRefused(`Confluence shows this account no page with the id ${pageId}.`);
  }
}

async function checkSpace({ http, api, isCloud }: ConfluenceSite, key: string): Promise<void> {
  if (!isCloud) {
    await http.json({ url: `${api}/rest/api/space/${encodeURIComponent(key)}` }, z.object({}));
    return;
  }
  const url = `${api}/api/v2/spaces?${new URLSearchParams({ keys: key, limit: '1' })}`;
  const { data } = await http.json({ url }, z.object({ results: z.array(z.unknown()) }));
  if (data.results.length === 0) {
    throw new SourceRefused(`Confluence shows this account no space with the key "${key}".`);
  }
}
