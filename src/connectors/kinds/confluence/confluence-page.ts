import { z } from 'zod';
import type { DocumentMetadata, StoredOwner } from '#src/tables/documents.ts';
import type { ConnectorDocument } from '#src/connectors/source/connector.ts';
import { storageToMarkdown } from './storage-format.ts';

const text = z.string().nullish();
const person = z.object({ displayName: text, email: text, publicName: text }).nullish().catch(null);
const version = z.object({ when: text, by: person, number: z.number().nullish() }).nullish();
const body = z.object({ storage: z.object({ value: z.string() }).nullish() }).nullish();
const history = z.object({ createdDate: text, createdBy: person }).nullish();
const links = z.object({ webui: text, download: text, next: text }).nullish();
const inner = z.object({
  results: z.array(z.unknown()).nullish(),
  size: z.number().nullish(),
  _links: links,
});
export type InnerList = z.infer<typeof inner>;

export const COMMENT = z.object({ id: z.string(), body, version, history, _links: links });
export type ConfluenceComment = z.infer<typeof COMMENT>;

/** The requested fields of a page or blog post. */
export const PAGE = z.object({
  id: z.string(),
  type: text,
  status: text,
  title: text,
  body,
  version,
  history,
  space: z.object({ key: text, name: text }).nullish(),
  metadata: z
    .object({ labels: z.object({ results: z.array(z.object({ name: z.string() })) }).nullish() })
    .nullish(),
  children: z.object({ comment: inner.nullish(), attachment: inner.nullish() }).nullish(),
  _links: links,
});
export type ConfluencePage = z.infer<typeof PAGE>;

/** The fields that `PAGE` reads. For comments and attachments, only whether there are any. */
export const PAGE_EXPAND =
  'body.storage,version,history,space,metadata.labels,children.comment,children.attachment';
export const COMMENT_EXPAND = 'body.storage,version,history';

/**
 * Titles and spaces change, and the URLs that people see change with them. This one is stable and redirects there.
 */
export function pageUrl(root: string, id: string): string {
  return `${root}/pages/viewpage.action?pageId=${encodeURIComponent(id)}`;
}

/** The id of the page with this document id; null when the document is not a page. */
export function pageIdOf(root: string, documentId: string): string | null {
  const start = pageUrl(root, '');
  const id = documentId.startsWith(start) ? documentId.slice(start.length) : '';
  return /^\d+$/.test(id) ? id : null;
}

/** Remembered as long as its document is in the index. */
export function pageMemoryKey(id: string): string {
  return `page:${id}`;
}

/** The URL that a reader's browser shows. */
export function shownUrl(
  root: string,
  { id, _links }: Pick<ConfluencePage, 'id' | '_links'>,
): string {
  const path = _links?.webui ?? '';
  return path.startsWith('/') ? root + path : pageUrl(root, id);
}

export function labelsOf({ metadata }: Pick<ConfluencePage, 'metadata'>): string[] {
  return metadata?.labels?.results.map(({ name }) => name) ?? [];
}

/** Null when the source reports no time. */
export function changedAt({ version: last }: Pick<ConfluencePage, 'version'>): Date | null {
  const time = new Date(last?.when ?? '');
  return Number.isNaN(time.getTime()) ? null : time;
}

/**
 * One document: the page, and a section for each comment.
 * @throws Error when a body is nested too deeply to read
 */
export function pageDocument(
  page: ConfluencePage,
  comments: readonly ConfluenceComment[],
  root: string,
): ConnectorDocument {
  const link = shownUrl(root, page);
  const title = page.title?.trim() || page.id;
  const content = storageToMarkdown(page.body?.storage?.value ?? '');
  const creator = owners(page.history?.createdBy);
  const editor = owners(page.version?.by);
  return {
    id: pageUrl(root, page.id),
    semanticIdentifier: title,
    title: null,
    sections: [
      { text: content || title, link },
      ...comments.map((comment) => commentSection(comment, link, root)),
    ].filter((section) => section.text !== ''),
    metadata: pageMetadata(page),
    updatedAt: changedAt(page),
    primaryOwners: creator,
    secondaryOwners: JSON.stringify(editor) === JSON.stringify(creator) ? [] : editor,
    source: null,
  };
}

function commentSection(
  comment: ConfluenceComment,
  pageLink: string,
  root: string,
): { text: string; link: string } {
  const words = storageToMarkdown(comment.body?.storage?.value ?? '');
  const author = nameOf(comment.history?.createdBy ?? comment.version?.by) ?? 'someone';
  const time = comment.history?.createdDate ?? comment.version?.when;
  const on = time ? ` on ${time.slice(0, 10)}` : '';
  return {
    text: words === '' ? '' : `Comment by ${author}${on}:\n\n${words}`,
    link: comment._links?.webui?.startsWith('/') ? root + comment._links.webui : pageLink,
  };
}

function pageMetadata(page: ConfluencePage): DocumentMetadata {
  const values: Record<string, string | null | undefined> = {
    type: page.type,
    space: page.space?.key,
    space_name: page.space?.name,
    created: page.history?.createdDate,
    author: nameOf(page.history?.createdBy),
    editor: nameOf(page.version?.by),
  };
  const metadata: DocumentMetadata = {};
  for (const [name, value] of Object.entries(values)) {
    if (value?.trim()) metadata[name] = value.trim();
  }
  const labels = labelsOf(page).filter((label) => label.trim() !== '');
  if (labels.length > 0) metadata['labels'] = labels;
  return metadata;
}

function nameOf(someone: z.infer<typeof person>): string | null {
  return someone?.displayName?.trim() || someone?.publicName?.trim() || null;
}

export function owners(someone: z.infer<typeof person>): StoredOwner[] {
  const name = nameOf(someone);
  const email = someone?.email?.trim();
  const owner = { ...(name && { display_name: name }), ...(email && { email }) };
  return Object.keys(owner).length === 0 ? [] : [owner];
}
