import { z } from 'zod';
import { GiveUp } from '#src/platform/errors.ts';
import { changedAt, labelsOf, owners, PAGE, shownUrl } from './confluence-page.ts';
import type { ConfluenceSettings } from './confluence-settings.ts';
import type { ConfluenceSite } from './confluence-site.ts';
import type {
  ConnectorContext,
  ConnectorDocument,
  MemoryEntry,
} from '#src/connectors/source/connector.ts';
import { NOT_READABLE, readableName } from '#src/connectors/source/readable-file.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

const text = z.string().nullish();
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** A file attached to a page. */
export const ATTACHMENT = PAGE.pick({
  id: true,
  status: true,
  version: true,
  metadata: true,
  _links: true,
}).extend({
  title: z.string().min(1),
  container: z.object({ title: text }).nullish(),
  extensions: z.object({ mediaType: text, fileSize: z.number().nullish() }).nullish(),
});
export type ConfluenceAttachment = z.infer<typeof ATTACHMENT>;

export const ATTACHMENT_EXPAND = 'version,metadata.labels,container';

/** The URL of a file's newest version; file names are unique on their page. */
export function attachmentUrl(root: string, pageId: string, fileName: string): string {
  return `${root}/download/attachments/${encodeURIComponent(pageId)}/${encodeURIComponent(fileName)}`;
}

export function attachmentOf(
  root: string,
  documentId: string,
): { pageId: string; fileName: string } | null {
  const start = `${root}/download/attachments/`;
  const path = documentId.startsWith(start) ? documentId.slice(start.length) : '';
  const [, pageId, name] = /^(\d+)\/([^/]+)$/.exec(path) ?? [];
  if (!pageId || !name) return null;
  try {
    return { pageId, fileName: decodeURIComponent(name) };
  } catch {
    return null;
  }
}

/** Why the file is skipped; null when it is indexed. */
export function attachmentSkip(
  attachment: ConfluenceAttachment,
  { labelsToSkip }: Pick<ConfluenceSettings, 'labelsToSkip'>,
): string | null {
  const { title, extensions, status } = attachment;
  if (status && status !== 'current') return 'archived or in the trash';
  if (labelsOf(attachment).some((label) => labelsToSkip.includes(label)))
    return 'has a label to skip';
  if (readableName(title, extensions?.mediaType ?? null) === null) return NOT_READABLE;
  return (extensions?.fileSize ?? 0) > MAX_FILE_BYTES ? 'a file larger than 20 MB' : null;
}

export function attachmentMemory(
  { id, version }: ConfluenceAttachment,
  documentId: string,
): MemoryEntry {
  return { key: `attachment:${id}`, documentId, value: version?.number ?? version?.when ?? null };
}

/**
 * Downloads and parses a file.
 * https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content---attachments/#api-wiki-rest-api-content-id-child-attachment-attachmentid-download-get
 * @throws SourceRefused when it cannot be downloaded or parsed
 */
export async function readAttachment(
  site: ConfluenceSite,
  attachment: ConfluenceAttachment,
  pageId: string,
  context: ConnectorContext,
): Promise<ConnectorDocument> {
  const { title, extensions, version } = attachment;
  const id = attachmentUrl(site.root, pageId, title);
  const { bytes } = await site.http.send({
    url: downloadUrl(site, attachment, pageId),
    headers: { accept: '*/*' },
    maxBytes: MAX_FILE_BYTES,
  });
  const name = readableName(title, extensions?.mediaType ?? null) ?? title;
  const file = await context.parse({ name, bytes }).catch((error: unknown) => {
    if (error instanceof GiveUp) throw new SourceRefused(error.message, { cause: error });
    throw error;
  });
  const shown = shownUrl(site.root, { id: pageId, _links: attachment._links });
  return {
    id,
    semanticIdentifier: title,
    title: file.title === title ? null : file.title,
    sections: file.sections.map((section) => ({
      text: section.text,
      link: section.link === null ? shown : id + section.link,
    })),
    metadata: {
      ...file.metadata,
      type: 'attachment',
      page: attachment.container?.title?.trim() || pageId,
    },
    updatedAt: changedAt(attachment),
    primaryOwners: owners(version?.by),
    secondaryOwners: [],
    source: null,
  };
}

function downloadUrl(
  { api, isCloud }: ConfluenceSite,
  { id, _links }: ConfluenceAttachment,
  pageId: string,
): string {
  const path = _links?.download ?? '';
  // Data Center offers only the link; Cloud also has a call that scoped tokens may make.
  if (!isCloud && path.startsWith('/')) return api + path;
  const [page, file] = [pageId, id].map(encodeURIComponent);
  return `${api}/rest/api/content/${page}/child/attachment/${file}/download`;
}
