import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  type HtmlRoot,
  isElement,
  rawText,
} from './html-tree.ts';
import { openPage, type OpenedPage } from './open-page.ts';
import type { ParsedFile } from './parsed-file.ts';
import { renderMarkdown } from './render-markdown.ts';
import { titleOfName } from './title-of-name.ts';

const NOT_CONTENT = new Set(
  'script style noscript template iframe object embed svg canvas nav footer dialog'.split(' '),
);

/** The readable part of a page as Markdown, with its title and the usual meta tags. */
export function parseHtml(name: string, html: string): ParsedFile {
  const page = openPage(html);
  const nodes = mainOf(page.root)?.children ?? page.root.children;
  return {
    title: page.title || page.heading || titleOfName(name),
    sections: [{ text: renderMarkdown(nodes, { isLeftOut, keepsLinks: true }), link: null }],
    metadata: readMetadata(page),
  };
}

function isLeftOut({ name, attribs }: HtmlElement): boolean {
  if (NOT_CONTENT.has(name) || attribs['hidden'] !== undefined) return true;
  const role = attribs['role'];
  return attribs['aria-hidden'] === 'true' || role === 'navigation' || role === 'contentinfo';
}

/** A single `main` is the author's own statement of what the content is (HTML Living Standard 4.4.14). */
function mainOf(root: HtmlRoot): HtmlElement | null {
  const found: HtmlElement[] = [];
  const open: HtmlNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node)) {
      if (isLeftOut(node)) continue;
      if (node.name === 'main' || node.attribs['role'] === 'main') {
        found.push(node);
        continue;
      }
    }
    for (const child of childrenOf(node)) open.push(child);
  }
  const [main] = found;
  return main && found.length === 1 && rawText(main, isLeftOut).trim() !== '' ? main : null;
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
