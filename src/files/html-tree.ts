import type { CheerioAPI } from 'cheerio';
import { load } from 'cheerio/slim';
import { GiveUp } from '#src/platform/errors.ts';

export type HtmlRoot = ReturnType<CheerioAPI['root']>[number];
export type HtmlNode = HtmlRoot | HtmlRoot['children'][number];
export type HtmlElement = Extract<HtmlNode, { attribs: unknown }>;

/** Larger pages that people write have some 50,000. */
const MAX_TAGS = 200_000;
/** Fewer tags than this cannot be nested so deeply that it takes long. */
const FEW_TAGS = 10_000;
const MAX_DEPTH = 20_000;
/** Elements without content, and those that the next of their kind ends. */
const NOT_NESTED =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|tr|td|th|option|thead|tbody|tfoot)$/i;

/**
 * Parses HTML in time that grows with its length, whatever it holds: a parser that mends it to the letter of the
 * standard takes minutes for a page of nested boxes. Tags without their end are closed where people mean it.
 * @throws GiveUp for what nobody has written
 */
export function parseHtmlTree(html: string): HtmlRoot {
  assertWritten(html);
  const [root] = load(html, { xml: { xmlMode: false } }).root();
  if (!root) throw new Error('A parsed page has a root.');
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
