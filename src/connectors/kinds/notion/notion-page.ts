import type { ConnectorDocument, ConnectorPage } from '#src/connectors/source/connector.ts';
import { documentIdOf, isRefused, type NotionApi, type NotionPage } from './notion-api.ts';
import { readBlocks, type PageBlocks, type SubPage } from './notion-blocks.ts';
import type { NotionNames } from './notion-names.ts';
import { propertyValues, titleOf } from './notion-properties.ts';
import { renderBlocks } from './notion-text.ts';
import type { PageTime } from '#src/connectors/source/page-time.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';

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

/** As many requests as Notion handles in parallel. */
const PAGES_AT_ONCE = 3;

export interface ReadPages {
  /** The subpages of each page read, by its id. */
  subPages: Map<string, SubPage[]>;
  /** Pages not started when the time was up. */
  left: NotionPage[];
}

type PageRead = Awaited<ReturnType<typeof readPage>>;
type Outcome = { read: PageRead } | { error: unknown };

/**
 * Reads pages in parallel into `content`. An unreadable page is a failure of its own.
 * @throws SourceUnavailable when Notion fails on every one of several pages, or states a time to wait
 */
export async function readPages(
  reader: PageReader,
  pages: readonly NotionPage[],
  content: PageContent,
  time: PageTime,
): Promise<ReadPages> {
  const outcomes = new Map<NotionPage, Outcome>();
  const left = [...pages];
  // Errors are kept until all pages are done: nothing may continue once the poll has ended.
  const readOn = async (): Promise<void> => {
    for (let page = left.shift(); page; page = time.isOver() ? undefined : left.shift()) {
      outcomes.set(
        page,
        await readPage(reader, page).then(
          (read) => ({ read }),
          (error: unknown) => ({ error }),
        ),
      );
    }
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, readOn));
  const subPages = new Map<string, SubPage[]>();
  const unavailable: SourceUnavailable[] = [];
  for (const page of pages) {
    const outcome = outcomes.get(page);
    if (outcome && 'error' in outcome) {
      if (outcome.error instanceof SourceUnavailable) unavailable.push(outcome.error);
      addError(content, page, outcome.error);
    } else if (outcome) addRead(content, page, outcome.read, subPages);
  }
  throwIfAllUnavailable(unavailable, outcomes.size);
  return { subPages, left };
}

function addRead(
  content: PageContent,
  page: NotionPage,
  read: PageRead,
  subPages: Map<string, SubPage[]>,
): void {
  const documentId = documentIdOf(page.id);
  if (read === 'gone') {
    content.removed.push(documentId);
    return;
  }
  subPages.set(page.id, read.subPages);
  if (read.document) content.documents.push(read.document);
  else content.skipped.push({ documentId, reason: 'a page without text' });
}

function addError(content: PageContent, page: NotionPage, error: unknown): void {
  const documentId = documentIdOf(page.id);
  if (isRefused(error, 404)) content.removed.push(documentId);
  else {
    const reason = `Notion does not return this page: ${wordsOfOne(error)}`;
    content.failures.push({ documentId, link: linkOf(page), entityId: null, reason });
  }
}

/**
 * The message of an error that concerns one page only.
 * @throws the error itself when it concerns more than that
 */
export function wordsOfOne(error: unknown): string {
  const isTransient = error instanceof SourceUnavailable && error.retryAfterMs === null;
  if (isTransient || isRefused(error, 400, 404)) return error.message;
  throw error;
}

/** Fewer failures say nothing about Notion as a whole. */
const ALL_FAILED_MIN = 3;

export function throwIfAllUnavailable(errors: readonly SourceUnavailable[], tried: number): void {
  const [first] = errors;
  if (first && errors.length === tried && tried >= ALL_FAILED_MIN) throw first;
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

/** Null for a page without content. */
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
