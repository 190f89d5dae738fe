import {
  ATTACHMENT_EXPAND,
  attachmentMemory,
  attachmentOf,
  attachmentSkip,
  readAttachment,
} from './confluence-attachment.ts';
import { PAGE, PAGE_EXPAND, pageIdOf, pageUrl } from './confluence-page.ts';
import type { ConfluenceSettings } from './confluence-settings.ts';
import type { ConfluenceSite } from './confluence-site.ts';
import { allChildren } from './list-children.ts';
import {
  type ConnectorContext,
  type ConnectorPage,
  pageOf,
} from '#src/connectors/source/connector.ts';
import { baseCql } from './cql.ts';
import { readPages } from './fetch-confluence-page.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import { parseFiles } from './read-attachments.ts';
import { PAGES_PER_REQUEST, searchIds } from './search-content.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

type Again = Omit<ConnectorPage<unknown>, 'checkpoint'>;

const FILES_AT_ONCE = 10;

/** Refetches failed documents: pages by a search for their ids; files by name, page by page. */
export async function* fetchConfluenceAgain(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
  documentIds: readonly string[],
  context: ConnectorContext,
): AsyncGenerator<Again> {
  const pageIds = documentIds.filter((id) => pageIdOf(site.root, id) !== null);
  for (let start = 0; start < pageIds.length; start += PAGES_PER_REQUEST) {
    yield await pagesAgain(site, settings, pageIds.slice(start, start + PAGES_PER_REQUEST));
  }
  const others = documentIds.filter((id) => pageIdOf(site.root, id) === null);
  for (let start = 0; start < others.length; start += FILES_AT_ONCE) {
    yield await filesAgain(site, settings, others.slice(start, start + FILES_AT_ONCE), context);
  }
}

function emptyPage(): Again {
  return pageOf({ checkpoint: null, description: 'what failed before' });
}

async function pagesAgain(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
  documentIds: readonly string[],
): Promise<Again> {
  const ids = documentIds.map((id) => pageIdOf(site.root, id) ?? '');
  const results = await searchIds(site, baseCql(settings), ids, PAGE_EXPAND);
  const { withFiles: _, ...read } = await readPages(site, settings, results, () => false);
  const found = new Set(
    results.map((result) =>
      pageUrl(site.root, PAGE.pick({ id: true }).safeParse(result).data?.id ?? ''),
    ),
  );
  return { ...emptyPage(), ...read, removed: documentIds.filter((id) => !found.has(id)) };
}

async function filesAgain(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
  documentIds: readonly string[],
  context: ConnectorContext,
): Promise<Again> {
  const again = emptyPage();
  const { failures } = await fetchEach(
    documentIds,
    (id) => id,
    async (id) => {
      const file = await findFile(site, settings, id);
      if (file === null) {
        again.removed.push(id);
        return;
      }
      const reason = attachmentSkip(file.attachment, settings);
      if (reason !== null) {
        again.skipped.push({ documentId: id, reason });
        return;
      }
      again.documents.push(await readAttachment(site, file.attachment, file.pageId, context));
      again.memory.push(attachmentMemory(file.attachment, id));
    },
  );
  return { ...again, failures };
}

async function findFile(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
  documentId: string,
): Promise<{ attachment: ReturnType<typeof parseFiles>[number]; pageId: string } | null> {
  const name = attachmentOf(site.root, documentId);
  if (name === null || !settings.includeAttachments) return null;
  const { pageId, fileName } = name;
  const query = { kind: 'attachment' as const, pageId, expand: ATTACHMENT_EXPAND, limit: 200 };
  try {
    const files = parseFiles(await allChildren(site, query));
    const attachment = files.find(({ title }) => title === fileName);
    return attachment ? { attachment, pageId } : null;
  } catch (error) {
    // The page is gone, and so is the file.
    if (error instanceof SourceRefused && error.status === 404) return null;
    throw error;
  }
}
