import type { CheerioAPI } from 'cheerio';
import { load } from 'cheerio/slim';

export type HtmlRoot = ReturnType<CheerioAPI['root']>[number];
export type HtmlNode = HtmlRoot | HtmlRoot['children'][number];
export type HtmlElement = Extract<HtmlNode, { attribs: unknown }>;

/**
 * Parses HTML in time that grows with its length, whatever it holds: a parser that follows the standard to the letter
 * takes minutes for a page of nested boxes. Tags without their end are closed where people mean it.
 */
export function parseHtmlTree(html: string): HtmlRoot {
  const [root] = load(html, { xml: { xmlMode: false } }).root();
  if (!root) throw new Error('A parsed page has a root.');
  return root;
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return 'attribs' in node;
}

export function childrenOf(node: HtmlNode): readonly HtmlNode[] {
  return 'children' in node ? node.children : [];
}

/** The text of a node as it was written, without the elements that `isLeftOut` names. However deep it is. */
export function rawText(
  node: HtmlNode,
  isLeftOut: (element: HtmlElement) => boolean = () => false,
): string {
  const parts: string[] = [];
  const open: HtmlNode[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.type === 'text') parts.push(next.data);
    if (isElement(next) && isLeftOut(next)) continue;
    const children = childrenOf(next);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child) open.push(child);
    }
  }
  return parts.join('');
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
