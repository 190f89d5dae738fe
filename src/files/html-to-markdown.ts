import { parseHtmlTree } from './html-tree.ts';
import { renderMarkdown } from './render-markdown.ts';

/** Turns an HTML fragment into Markdown; see `renderMarkdown`. */
export function htmlToMarkdown(html: string): string {
  const { children } = parseHtmlTree(html);
  return renderMarkdown(children, { isLeftOut: () => false, keepsLinks: true });
}
