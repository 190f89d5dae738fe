import { z } from 'zod';
import {
  COMMENT,
  COMMENT_EXPAND,
  type ConfluencePage,
  labelsOf,
  PAGE,
  pageDocument,
  pageMemoryKey,
  pageUrl,
} from './confluence-page.ts';
import type { ConfluenceSettings } from './confluence-settings.ts';
import type { ConfluenceSite } from './confluence-site.ts';
import { allChildren } from './list-children.ts';
import type {
  ConnectorDocument,
  ConnectorFailure,
  MemoryEntry,
  SkippedDocument,
} from '#src/connectors/source/connector.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

const COMMENTS_PER_REQUEST = 50;

export interface ReadPages {
  documents: ConnectorDocument[];
  unchanged: string[];
  skipped: SkippedDocument[];
  failures: ConnectorFailure[];
  memory: MemoryEntry[];
  /** Pages read in this step that have files. */
  withFiles: string[];
}

/**
 * Splits search results into documents and the rest. `isRead`: an earlier run has read the page in its present state.
 */
export async function readPages(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
  results: readonly unknown[],
  isRead: (page: ConfluencePage) => boolean,
): Promise<ReadPages> {
  const read: ReadPages = {
    documents: [],
    unchanged: [],
    skipped: [],
    failures: [],
    memory: [],
    withFiles: [],
  };
  const wanted: ConfluencePage[] = [];
  for (const result of results) {
    const parsed = PAGE.safeParse(result);
    if (!parsed.success) read.failures.push(unreadable(site, result, parsed.error));
    else if (isRead(parsed.data)) read.unchanged.push(pageUrl(site.root, parsed.data.id));
    else {
      const reason = pageSkip(parsed.data, settings);
      if (reason === null) wanted.push(parsed.data);
      else read.skipped.push({ documentId: pageUrl(site.root, parsed.data.id), reason });
    }
  }
  const { results: documents, failures } = await fetchEach(
    wanted,
    ({ id }) => pageUrl(site.root, id),
    async (page) => ({ page, document: await readPage(site, page) }),
  );
  for (const { page, document } of documents) {
    read.documents.push(document);
    const value = page.version?.when ?? null;
    read.memory.push({ key: pageMemoryKey(page.id), documentId: document.id, value });
  }
  read.failures.push(...failures);
  if (settings.includeAttachments) {
    read.withFiles = wanted
      .filter((page) => mayHave(page.children?.attachment))
      .map(({ id }) => id);
  }
  return read;
}

export function pageSkip(
  page: ConfluencePage,
  { labelsToSkip }: Pick<ConfluenceSettings, 'labelsToSkip'>,
): string | null {
  if (page.status && page.status !== 'current') return 'archived or in the trash';
  return labelsOf(page).some((label) => labelsToSkip.includes(label))
    ? 'has a label to skip'
    : null;
}

/** When the server does not report a count, the list must be requested. */
function mayHave(list: { size?: number | null | undefined } | null | undefined): boolean {
  return list?.size !== 0;
}

/**
 * @throws SourceRefused when this page cannot be read; others may be readable
 */
async function readPage(site: ConfluenceSite, page: ConfluencePage): Promise<ConnectorDocument> {
  const comments = mayHave(page.children?.comment)
    ? await allChildren(site, {
        kind: 'comment',
        pageId: page.id,
        expand: COMMENT_EXPAND,
        limit: COMMENTS_PER_REQUEST,
      })
    : [];
  const parsed = z.array(COMMENT).safeParse(comments);
  if (!parsed.success) {
    throw new SourceRefused(`Its comments could not be read. ${z.prettifyError(parsed.error)}`);
  }
  try {
    return pageDocument(page, parsed.data, site.root);
  } catch (error) {
    throw new SourceRefused(
      'The text of the page could not be read; it may be nested too deeply.',
      {
        cause: error,
      },
    );
  }
}

function unreadable(
  { root }: ConfluenceSite,
  result: unknown,
  error: z.ZodError,
): ConnectorFailure {
  const id = PAGE.pick({ id: true }).safeParse(result).data?.id ?? null;
  const link = id === null ? root : pageUrl(root, id);
  return {
    documentId: id === null ? null : link,
    link,
    entityId: null,
    reason: `The page could not be read. ${z.prettifyError(error)}`,
  };
}
