import { renderMarkdown } from '#src/files/render-markdown.ts';
import type { DocumentMetadata } from '#src/tables/documents.ts';
import { findContent, type PageContent } from '#src/files/find-content.ts';
import { childrenOf, type HtmlElement } from '#src/files/html-tree.ts';
import type { OpenedPage } from '#src/files/open-page.ts';

/** What is extracted from a page. */
export interface ExtractedPage {
  title: string;
  /** Markdown. Empty when the page shows nothing without its scripts. */
  text: string;
  author: string | null;
  metadata: DocumentMetadata;
  /** As stated by the page itself. */
  modifiedAt: Date | null;
}

/** When this changes, pages are read again even if the site reports no change. */
export const EXTRACTION_VERSION = 5;

/**
 * Title, readable text and facts of a page.
 * @param fallbackTitle for a page without any title
 */
export function extractPage(
  page: OpenedPage,
  fallbackTitle: string,
  options: { mintlifyCleanup: boolean },
): ExtractedPage {
  return extractContent(page, fallbackTitle, contentOf(page, options));
}

/** The content of a page, as far as the page alone can show. */
export function contentOf(page: OpenedPage, options: { mintlifyCleanup: boolean }): PageContent {
  const isMintlify = /mintlify/i.test(page.metas.get('generator') ?? '');
  return findContent(page.root, { hidesSticky: options.mintlifyCleanup && isMintlify });
}

/**
 * @param ofSite elements that other pages of the site have, too; a page that has nothing else keeps them
 */
export function extractContent(
  page: OpenedPage,
  fallbackTitle: string,
  { root, isLeftOut }: PageContent,
  ofSite: ReadonlySet<HtmlElement> = new Set(),
): ExtractedPage {
  const { metas, heading } = page;
  const title = metas.get('og:title') || page.title || heading || fallbackTitle;
  const author = metas.get('author') || null;
  const render = (isOut: (element: HtmlElement) => boolean): string =>
    renderMarkdown(childrenOf(root), { isLeftOut: isOut, keepsLinks: false });
  const own = render((element) => ofSite.has(element) || isLeftOut(element));
  return {
    title,
    text: own === '' && ofSite.size > 0 ? render(isLeftOut) : own,
    author,
    metadata: readMetadata(page, author),
    modifiedAt: readModified(page),
  };
}

function readMetadata({ metas, language }: OpenedPage, author: string | null): DocumentMetadata {
  const facts: Record<string, string | string[]> = {
    author: author ?? '',
    description: metas.get('description') || metas.get('og:description') || '',
    keywords: (metas.get('keywords') ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
    language,
    site: metas.get('og:site_name') ?? '',
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value.length > 0));
}

function readModified({ metas }: OpenedPage): Date | null {
  const names = [
    'article:modified_time',
    'og:updated_time',
    'last-modified',
    'dcterms.modified',
    'article:published_time',
  ];
  for (const name of names) {
    const time = Date.parse(metas.get(name) ?? '');
    if (!Number.isNaN(time)) return new Date(time);
  }
  return null;
}
