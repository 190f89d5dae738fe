import type { CheerioAPI } from 'cheerio';
import { htmlToMarkdown } from '#src/files/html-to-markdown.ts';
import type { DocumentMetadata } from '#src/tables.ts';
import { findContent } from './find-content.ts';

/** What a reader takes from a page. */
export interface ExtractedPage {
  title: string;
  /** Markdown. Empty when the page shows nothing without its scripts. */
  text: string;
  author: string | null;
  metadata: DocumentMetadata;
  /** As the page itself says. */
  modifiedAt: Date | null;
}

/** When this changes, pages are read anew though the site says that they did not change. */
export const EXTRACTION_VERSION = 1;

/**
 * Title, readable text and facts of a page. Elements that are no content are taken out of `page`.
 * @param fallbackTitle for a page without any title
 */
export function extractPage(
  page: CheerioAPI,
  fallbackTitle: string,
  options: { mintlifyCleanup: boolean },
): ExtractedPage {
  const title =
    metaOf(page, 'og:title') ||
    oneLine(page('head title').first().text()) ||
    oneLine(page('h1').first().text()) ||
    fallbackTitle;
  const author = metaOf(page, 'author') || null;
  const metadata = readMetadata(page, author);
  const modifiedAt = readModified(page);
  const content = findContent(page, options);
  return { title, text: htmlToMarkdown(content), author, metadata, modifiedAt };
}

function readMetadata(page: CheerioAPI, author: string | null): DocumentMetadata {
  const facts: Record<string, string | string[]> = {
    author: author ?? '',
    description: metaOf(page, 'description') || metaOf(page, 'og:description'),
    keywords: metaOf(page, 'keywords')
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
    language: oneLine(page('html').attr('lang') ?? ''),
    site: metaOf(page, 'og:site_name'),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value.length > 0));
}

function readModified(page: CheerioAPI): Date | null {
  const names = [
    'article:modified_time',
    'og:updated_time',
    'last-modified',
    'dcterms.modified',
    'article:published_time',
  ];
  for (const name of names) {
    const time = Date.parse(metaOf(page, name));
    if (!Number.isNaN(time)) return new Date(time);
  }
  return null;
}

/** `name` and `property` are mixed up everywhere. */
function metaOf(page: CheerioAPI, key: string): string {
  return oneLine(
    page(`meta[name="${key}" i], meta[property="${key}" i]`).first().attr('content') ?? '',
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
