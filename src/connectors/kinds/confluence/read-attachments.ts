import { z } from 'zod';
import {
  ATTACHMENT,
  ATTACHMENT_EXPAND,
  attachmentMemory,
  attachmentSkip,
  attachmentUrl,
  type ConfluenceAttachment,
  readAttachment,
} from './confluence-attachment.ts';
import { pageUrl } from './confluence-page.ts';
import type { ConfluenceSettings } from './confluence-settings.ts';
import { type ConfluenceSite, listPlace } from './confluence-site.ts';
import { listChildren } from './list-children.ts';
import {
  pageOf,
  type ConnectorContext,
  type ConnectorPage,
} from '#src/connectors/source/connector.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

/** Pages whose files are still to be read; `place` is where the first page's list continues. */
export const waitingFiles = z.object({ pages: z.array(z.string()), place: listPlace.nullable() });
export type WaitingFiles = z.infer<typeof waitingFiles>;

/** Files are large, so only a few are held in memory at once. */
const FILES_PER_REQUEST = 10;
const FILE_QUERY = { expand: ATTACHMENT_EXPAND, limit: FILES_PER_REQUEST };
/** Pictures are only counted, and there may be many of them. */
const MAX_SKIPPED = 200;

export type ReadFiles = Omit<ConnectorPage<WaitingFiles>, 'description' | 'estimatedTotal'>;

/**
 * Reads files of the waiting pages until it has about a handful. Skips files whose current version has been read
 * before.
 */
export async function readWaitingFiles(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
  waiting: WaitingFiles,
  context: ConnectorContext,
): Promise<ReadFiles> {
  const read: ReadFiles = pageOf({ checkpoint: waiting, description: '' });
  const count = (): number => read.documents.length + read.unchanged.length + read.failures.length;
  while (
    read.checkpoint.pages.length > 0 &&
    count() < FILES_PER_REQUEST &&
    read.skipped.length < MAX_SKIPPED
  ) {
    const [pageId = '', ...others] = read.checkpoint.pages;
    const list = await filesOf(site, pageId, read.checkpoint.place, read);
    await readFiles(site, settings, pageId, list.files, context, read);
    read.checkpoint =
      list.next === null
        ? { pages: others, place: null }
        : { pages: read.checkpoint.pages, place: list.next };
  }
  return read;
}

/** A failed file list is a separate failure: the page itself was read. */
async function filesOf(
  site: ConfluenceSite,
  pageId: string,
  place: WaitingFiles['place'],
  read: ReadFiles,
): Promise<{ files: ConfluenceAttachment[]; next: WaitingFiles['place'] }> {
  const query = { kind: 'attachment' as const, pageId, ...FILE_QUERY };
  try {
    const { results, next } = await listChildren(site, query, place);
    return { files: parseFiles(results), next: results.length === 0 ? null : next };
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error;
    const link = pageUrl(site.root, pageId);
    read.failures.push({
      documentId: null,
      link,
      entityId: link,
      reason: `Its attachments could not be listed. ${error.message}`,
    });
    return { files: [], next: null };
  }
}

/** @throws SourceRefused */
export function parseFiles(results: readonly unknown[]): ConfluenceAttachment[] {
  const parsed = z.array(ATTACHMENT).safeParse(results);
  if (!parsed.success) {
    throw new SourceRefused(`An attachment could not be read. ${z.prettifyError(parsed.error)}`);
  }
  return parsed.data;
}

async function readFiles(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
  pageId: string,
  files: readonly ConfluenceAttachment[],
  context: ConnectorContext,
  read: ReadFiles,
): Promise<void> {
  const idOf = ({ title }: ConfluenceAttachment): string => attachmentUrl(site.root, pageId, title);
  const known = await context.recall(files.map((file) => attachmentMemory(file, '').key));
  const wanted = files.filter((file) => {
    const reason = attachmentSkip(file, settings);
    if (reason !== null) read.skipped.push({ documentId: idOf(file), reason });
    return reason === null;
  });
  const changed = wanted.filter((file) => {
    const { key, value } = attachmentMemory(file, '');
    const isKnown = value !== null && known.get(key) === value;
    if (isKnown) read.unchanged.push(idOf(file));
    return !isKnown;
  });
  const { results, failures } = await fetchEach(changed, idOf, async (file) => ({
    document: await readAttachment(site, file, pageId, context),
    memory: attachmentMemory(file, idOf(file)),
  }));
  read.documents.push(...results.map(({ document }) => document));
  read.memory.push(...results.map(({ memory }) => memory));
  read.failures.push(...failures);
}
