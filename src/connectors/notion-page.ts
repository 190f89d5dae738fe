import type { ConnectorDocument, ConnectorPage } from './connector.ts';
import { documentIdOf, isRefused, type NotionApi, type NotionPage } from './notion-api.ts';
import { readBlocks, type PageBlocks, type SubPage } from './notion-blocks.ts';
import type { NotionNames } from './notion-names.ts';
import { propertyValues, titleOf } from './notion-properties.ts';
import { renderBlocks } from './notion-text.ts';

export interface PageReader {
  api: NotionApi;
  names: NotionNames;
}

export type PageContent = Pick<
  ConnectorPage<unknown>,
  'documents' | 'unchanged' | 'skipped' | 'failures' | 'removed'
>;

export function noContent(): PageContent {
  return { documents: [], unchanged: [], skipped: [], failures: [], removed: [] };
}

export function isGone(page: NotionPage): boolean {
  return page.archived === true || page.in_trash === true;
}

function linkOf(page: NotionPage): string {
  return page.url || documentIdOf(page.id);
}

/**
 * Reads pages side by side into `content`; one that cannot be read is a failure of its own.
 * @returns what stands in each page that was read, by its id
 */
export async function readPages(
  reader: PageReader,
  pages: readonly NotionPage[],
  content: PageContent,
): Promise<Map<string, SubPage[]>> {
  const subPages = new Map<string, SubPage[]>();
  // All of them, even after an error: nothing may run on once the poll has ended.
  const outcomes = await Promise.allSettled(pages.map((page) => readPage(reader, page)));
  for (const [index, outcome] of outcomes.entries()) {
    const page = pages[index];
    if (!page) continue;
    const documentId = documentIdOf(page.id);
    if (outcome.status === 'rejected') {
      const error: unknown = outcome.reason;
      if (isRefused(error, 404)) content.removed.push(documentId);
      else if (isRefused(error, 400)) {
        const reason = `Notion does not give out this page: ${error.message}`;
        content.failures.push({ documentId, link: linkOf(page), entityId: null, reason });
      } else throw error;
    } else if (outcome.value === 'gone') content.removed.push(documentId);
    else {
      subPages.set(page.id, outcome.value.subPages);
      const { document } = outcome.value;
      if (document) content.documents.push(document);
      else content.skipped.push({ documentId, reason: 'a page without text' });
    }
  }
  return subPages;
}

async function readPage(
  { api, names }: PageReader,
  page: NotionPage,
): Promise<'gone' | { document: ConnectorDocument | null; subPages: SubPage[] }> {
  if (isGone(page)) return 'gone';
  const blocks = await readBlocks(api, page.id);
  const document = await pageDocument(page, blocks, names);
  return { document, subPages: blocks.subPages };
}

/** Null for a page that nobody has written anything on. */
async function pageDocument(
  page: NotionPage,
  { blocks, leftOut }: PageBlocks,
  names: NotionNames,
): Promise<ConnectorDocument | null> {
  const title = titleOf(page.properties);
  const properties = propertyValues(page.properties);
  const lines = Object.entries(properties).map(
    ([name, value]) => `${name}: ${[value].flat().join(', ')}`,
  );
  const text = [lines.join('\n'), renderBlocks(blocks)].filter(Boolean).join('\n\n') || title;
  if (text === '') return null;
  const databaseId = page.parent?.database_id ?? null;
  const database = databaseId === null ? null : await names.database(databaseId);
  const author = page.created_by ? await names.user(page.created_by.id) : null;
  const editorId = page.last_edited_by?.id ?? null;
  const editor =
    editorId !== null && editorId !== page.created_by?.id ? await names.user(editorId) : null;
  return {
    id: documentIdOf(page.id),
    semanticIdentifier: title || 'Untitled',
    title: title || null,
    sections: [{ text, link: linkOf(page) }],
    metadata: {
      ...(database !== null && { database }),
      ...(leftOut.size > 0 && { left_out: [...leftOut] }),
      ...properties,
    },
    updatedAt: new Date(page.last_edited_time),
    primaryOwners: author ? [author] : [],
    secondaryOwners: editor ? [editor] : [],
    source: null,
  };
}
