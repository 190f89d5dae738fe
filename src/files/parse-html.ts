import type { CheerioAPI } from 'cheerio';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { loadHtml } from './load-html.ts';
import type { ParsedFile } from './parsed-file.ts';
import { titleOfName } from './title-of-name.ts';

const NOT_CONTENT =
  'script, style, noscript, template, iframe, object, embed, svg, canvas, nav, footer, dialog, [hidden], [aria-hidden="true"], [role="navigation"], [role="contentinfo"]';

/** The readable part of a page as Markdown, with its title and the usual meta tags. */
export function parseHtml(name: string, html: string): ParsedFile {
  const page = loadHtml(html);
  const title =
    oneLine(page('head title').first().text()) ||
    oneLine(page('h1').first().text()) ||
    titleOfName(name);
  const metadata = readMetadata(page);
  page(NOT_CONTENT).remove();
  // One `main` is the author's own word on what the content is (HTML Living Standard 4.4.14).
  const main = page('main, [role="main"]');
  const content = main.length === 1 && main.text().trim() !== '' ? main : page('body');
  return {
    title,
    sections: [{ text: htmlToMarkdown(content.html() ?? ''), link: null }],
    metadata,
  };
}

function readMetadata(page: CheerioAPI): ParsedFile['metadata'] {
  const metadata: ParsedFile['metadata'] = {};
  const named = (key: string): string =>
    oneLine(page(`meta[name="${key}" i]`).first().attr('content') ?? '');
  const author = named('author');
  const description = named('description');
  const keywords = named('keywords')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  if (author) metadata['author'] = author;
  if (description) metadata['description'] = description;
  if (keywords.length > 0) metadata['keywords'] = keywords;
  return metadata;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
