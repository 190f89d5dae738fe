import { attachmentSkip, ATTACHMENT_EXPAND, attachmentUrl } from './confluence-attachment.ts';
import { type ConfluencePage, type InnerList, PAGE, pageUrl } from './confluence-page.ts';
import type { ConfluenceSettings } from './confluence-settings.ts';
import { type ConfluenceSite, requireReader } from './confluence-site.ts';
import { baseCql } from './cql.ts';
import { pageSkip } from './fetch-confluence-page.ts';
import { allChildren } from './list-children.ts';
import { parseFiles } from './read-attachments.ts';
import { searchContent } from './search-content.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { type ContentCursor, FIRST_CONTENT } from './walk-content.ts';

const FILES_PER_REQUEST = 200;
/** Without bodies, Confluence returns more per request. */
const PAGES_PER_LISTING = 200;

/** Ids of what a poll would read, without bodies. Throws when any part of it cannot be listed. */
export async function* listConfluenceIds(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
): AsyncGenerator<string[]> {
  const files = settings.includeAttachments ? ',children.attachment' : '';
  const query = {
    cql: baseCql(settings),
    expand: `metadata.labels,history${files}`,
    limit: PAGES_PER_LISTING,
  };
  let cursor: ContentCursor | null = FIRST_CONTENT;
  while (cursor !== null) {
    const found = await searchContent(site, settings, query, cursor);
    const ids: string[] = [];
    for (const result of found.results) {
      const { data } = PAGE.safeParse(result);
      if (!data) throw new SourceRefused('Confluence listed a page without its id.');
      if (pageSkip(data, settings) !== null) continue;
      ids.push(pageUrl(site.root, data.id), ...(await fileIds(site, settings, data)));
    }
    yield ids;
    cursor = found.next;
  }
  await requireReader(site);
}

async function fileIds(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
  { id, children }: ConfluencePage,
): Promise<string[]> {
  const inline = children?.attachment;
  if (!settings.includeAttachments || inline?.size === 0) return [];
  const results =
    inline && isComplete(inline, settings)
      ? (inline.results ?? [])
      : await allChildren(site, {
          kind: 'attachment',
          pageId: id,
          expand: ATTACHMENT_EXPAND,
          limit: FILES_PER_REQUEST,
        });
  return parseFiles(results)
    .filter((file) => attachmentSkip(file, settings) === null)
    .map(({ title }) => attachmentUrl(site.root, id, title));
}

/** The list inlined in a page is cut short and has no labels. */
function isComplete(
  { results, size, _links }: InnerList,
  { labelsToSkip }: ConfluenceSettings,
): boolean {
  return labelsToSkip.length === 0 && !_links?.next && results?.length === size;
}
