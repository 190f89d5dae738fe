import { type IndexedDocument, readIndexedDocument } from '#src/documents/indexed-documents.ts';
import { looksLikeHtml } from '#src/documents/html-text.ts';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import { GiveUp } from '#src/platform/errors.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import { indexedPageHtml } from './indexed-page-html.ts';
import { foundPage } from './search-provider.ts';

/** Longer pages are catalogues; contacts are on other pages. */
const MAX_TEXT_LENGTH = 500_000;

/** A page from the index. */
export interface IndexedSitePage extends ExtractedPage {
  /** The text lost its element boundaries: addresses can be read from it, but not persons. */
  isFlat: boolean;
}

/**
 * The content of a site's indexed pages, in the given order. Skips documents that are gone, and pages that exceed the
 * limits.
 * @throws the signal's reason when aborted
 */
export async function readIndexedSite(
  { db, leadExtractor }: Pick<LeadServices, 'db' | 'leadExtractor'>,
  { workspaceId, documentIds }: { workspaceId: WorkspaceId; documentIds: readonly DocumentId[] },
  signal: AbortSignal,
): Promise<IndexedSitePage[]> {
  const pages: IndexedSitePage[] = [];
  // One at a time: a document may have megabytes.
  for (const documentId of documentIds) {
    signal.throwIfAborted();
    const document = await readIndexedDocument(db, workspaceId, documentId);
    const page = document && toPage(document);
    if (!page) continue;
    const { isFlat, ...source } = page;
    try {
      const extracted = await leadExtractor.extract({
        ...source,
        kind: 'html',
        owner: workspaceId,
        signal,
      });
      const { cards } = extracted;
      const usable = isFlat ? cards.filter(({ kind }) => kind !== 'person') : cards;
      // The links are not followed, and there may be thousands.
      pages.push({ ...extracted, cards: usable, links: [], isFlat });
    } catch (error) {
      if (!(error instanceof GiveUp)) throw error;
    }
  }
  return pages;
}

/** Null for a document without a URL: it is not a page. */
function toPage(document: IndexedDocument): { url: string; html: string; isFlat: boolean } | null {
  const { external_id: id, sections, metadata } = document;
  const link = sections.find((section) => section.link !== null)?.link ?? '';
  const address = foundPage(id, '', '') ?? foundPage(link, '', '');
  if (!address) return null;
  const text = sections.map((section) => section.text).join('\n\n');
  const html = indexedPageHtml({
    title: document.title ?? document.semantic_identifier,
    text: text.slice(0, MAX_TEXT_LENGTH),
    siteName: textOf(metadata['site']),
    description: textOf(metadata['description']),
    language: textOf(metadata['language']),
  });
  return { url: address.url, html, isFlat: hasNoBlocks(text) };
}

const MIN_FLAT_LENGTH = 80;

/** `Oliver BennettPartner`: names run into what follows them, so they cannot be recognized. */
function hasNoBlocks(text: string): boolean {
  return text.length >= MIN_FLAT_LENGTH && !/[\n\r]/.test(text.trim()) && !looksLikeHtml(text);
}

function textOf(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
