import type { CheerioAPI } from 'cheerio';
import { load } from 'cheerio/slim';
import { GiveUp } from '#src/platform/errors.ts';

export type HtmlRoot = ReturnType<CheerioAPI['root']>[number];
export type HtmlNode = HtmlRoot | HtmlRoot['children'][number];
export type HtmlElement = Extract<HtmlNode, { attribs: unknown }>;

/** Larger real pages have about 50,000. */
const MAX_TAGS = 200_000;
/** With fewer tags than this, no nesting is deep enough to be slow. */
const FEW_TAGS = 10_000;
const MAX_DEPTH = 20_000;
/** Elements without content, and elements that the next one of their kind closes. */
const NOT_NESTED =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|tr|td|th|option|thead|tbody|tfoot)$/i;

/**
 * Parses HTML in linear time, whatever the content: a parser that repairs it exactly as the standard says takes minutes
 * for a page of nested boxes. Unclosed tags are closed where their author probably meant it.
 * @throws GiveUp for a page too large or too deeply nested to be a real one
 */
export function parseHtmlTree(html: string): HtmlRoot {
  assertWritten(html);
  const [root] = load(html, { xml: { xmlMode: false } }).root();
  if (!root) throw new Error('A parsed page must have a root.');
  return root;
}

function assertWritten(html: string): void {
  let tags = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) tags += 1;
  if (tags < FEW_TAGS) return;
  if (tags > 2 * MAX_TAGS) throw new GiveUp('The HTML has more elements than a page can have.');
  let depth = 0;
  let opened = 0;
  for (const [, isEnd, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9:-]{0,50})/gi)) {
    if (!isEnd) opened += 1;
    if (NOT_NESTED.test(name)) continue;
    depth = Math.max(0, depth + (isEnd ? -1 : 1));
    if (depth > MAX_DEPTH) throw new GiveUp('The HTML is nested too deeply.');
  }
  if (opened > MAX_TAGS) throw new GiveUp('The HTML has more elements than a page can have.');
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return 'attribs' in node;
}

export function childrenOf(node: HtmlNode): readonly HtmlNode[] {
  return 'children' in node ? node.children : [];
}

/** The text of a node unchanged, without the elements that `isLeftOut` selects. Works at any depth. */
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
