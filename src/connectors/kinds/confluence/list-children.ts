import {
  type ConfluenceSite,
  type ContentList,
  listContent,
  type ListPlace,
} from './confluence-site.ts';
import { inOrderOfCreation } from './cql.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

/** What can be attached to a page or blog post. */
export type ChildKind = 'comment' | 'attachment';

export interface ChildQuery {
  kind: ChildKind;
  pageId: string;
  expand: string;
  limit: number;
}

/**
 * One page of the comments (with all replies and inline comments) or of the files of a page. Cloud is searched by
 * CQL: its version 1 lists are deprecated, and those of version 2 return replies one comment at a time and without
 * author names. Data Center has only the version 1 lists.
 * https://developer.atlassian.com/cloud/confluence/cql-fields/#container
 * https://docs.atlassian.com/ConfluenceServer/rest/8.9.3/#api/content/{id}/child-childrenOfType
 */
export async function listChildren(
  site: ConfluenceSite,
  { kind, pageId, expand, limit }: ChildQuery,
  place: ListPlace | null,
): Promise<ContentList> {
  const query = { expand, limit: String(limit) };
  if (!site.isCloud) {
    const path = `content/${encodeURIComponent(pageId)}/child/${kind}`;
    return listContent(
      site,
      path,
      { ...query, ...(kind === 'comment' && { depth: 'all' }) },
      place,
    );
  }
  const cql = inOrderOfCreation(`type = ${kind}`, `container = ${pageId}`);
  try {
    return await listContent(site, 'content/search', { ...query, cql }, place);
  } catch (error) {
    // The cursor has expired: the list starts over, and items read before are found unchanged.
    const isLost = place !== null && error instanceof SourceRefused && error.status === 400;
    if (!isLost) throw error;
    return listContent(site, 'content/search', { ...query, cql }, null);
  }
}

/** All of them at once: a page has few enough. */
export async function allChildren(site: ConfluenceSite, query: ChildQuery): Promise<unknown[]> {
  const results: unknown[] = [];
  let place: ListPlace | null = null;
  do {
    const list: ContentList = await listChildren(site, query, place);
    results.push(...list.results);
    place = list.results.length === 0 ? null : list.next;
  } while (place !== null);
  return results;
}
