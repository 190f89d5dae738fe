import { childrenOf } from './html-tree.ts';
import { openPage, type OpenedPage } from './open-page.ts';
import { findContent } from './find-content.ts';
import { isNeverContent } from './page-parts.ts';
import type { ParsedFile } from './parsed-file.ts';
import { renderMarkdown } from './render-markdown.ts';
import { titleOfName } from './title-of-name.ts';

/** The readable part of a page as Markdown, with its title and the usual meta tags. */
export function parseHtml(name: string, html: string): ParsedFile {
  const page = openPage(html);
  return {
    title: page.title || page.heading || titleOfName(name),
    sections: [{ text: textOf(page), link: null }],
    metadata: readMetadata(page),
  };
}

/** A page without content of its own, such as a list of links in its footer, is read whole. */
function textOf({ root }: OpenedPage): string {
  const content = findContent(root, { hidesSticky: false });
  const { isLeftOut } = content;
  const text = renderMarkdown(childrenOf(content.root), { isLeftOut, keepsLinks: true });
  if (text !== '') return text;
  return renderMarkdown(root.children, { isLeftOut: isNeverContent, keepsLinks: true });
}

function readMetadata({ metas }: OpenedPage): ParsedFile['metadata'] {
  const metadata: ParsedFile['metadata'] = {};
  const author = metas.get('author') ?? '';
  const description = metas.get('description') ?? '';
  const keywords = (metas.get('keywords') ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  if (author) metadata['author'] = author;
  if (description) metadata['description'] = description;
  if (keywords.length > 0) metadata['keywords'] = keywords;
  return metadata;
}
