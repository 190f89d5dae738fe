import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  oneLine,
} from '#src/files/html-tree.ts';

/** A value is short: a longer text is a section of the page. */
const MAX_TEXT_LENGTH = 4_000;
const MAX_NODES_OF_VALUE = 2_000;
/** Texts of nested elements overlap, so this limits the nodes visited for all values of a page. */
const MAX_NODES_OF_PAGE = 500_000;

/** The page's base URL, and how many more nodes may be visited. */
export interface ValueReader {
  base: string;
  nodesLeft: number;
}

const NO_TEXT = new Set(['script', 'style', 'template', 'noscript', 'svg']);
/** These elements separate words. */
const BREAKS = new Set(
  'address article br dd div dl dt footer h1 h2 h3 h4 h5 h6 header hr li ol p section table td th tr ul'.split(
    ' ',
  ),
);
const SOURCES = new Set(['audio', 'embed', 'iframe', 'img', 'source', 'track', 'video']);
/** Properties whose value is the target of a link, not its text. */
const LINK_PROPERTIES = new Set(
  'url sameas id image logo photo homepage account hasmap mainentityofpage'.split(' '),
);

export function openValueReader(base: string): ValueReader {
  return { base, nodesLeft: MAX_NODES_OF_PAGE };
}

/** The base URL for relative addresses in a page. */
export function baseOf(source: { url: string; page: { base: string } }): string {
  return URL.parse(source.page.base.trim(), source.url)?.href ?? source.url;
}

/**
 * The elements inside an element, in order, up to the maximum size of a value; skips the children of those left out.
 */
export function* elementsIn(
  root: HtmlElement,
  reader: ValueReader,
  isClosed: (element: HtmlElement) => boolean = () => false,
): Generator<HtmlElement> {
  const open: HtmlNode[] = childrenOf(root).slice(0, MAX_NODES_OF_VALUE).toReversed();
  let left = MAX_NODES_OF_VALUE;
  for (let node = open.pop(); node && left > 0 && reader.nodesLeft > 0; node = open.pop()) {
    left -= 1;
    reader.nodesLeft -= 1;
    if (!isElement(node)) continue;
    yield node;
    if (!isClosed(node)) open.push(...childrenOf(node).slice(0, left).toReversed());
  }
}

/**
 * The text of an element in one line, without the elements that `isLeftOut` matches, cut at the maximum length of a
 * value.
 */
export function textOf(
  element: HtmlElement,
  reader: ValueReader,
  isLeftOut: (element: HtmlElement) => boolean = () => false,
): string {
  const parts: string[] = [];
  const open: (HtmlNode | ' ')[] = [element];
  let length = 0;
  let left = MAX_NODES_OF_VALUE;
  for (let node = open.pop(); node; node = open.pop()) {
    if (node === ' ') {
      parts.push(node);
      continue;
    }
    if (left <= 0 || reader.nodesLeft <= 0 || length > MAX_TEXT_LENGTH) break;
    left -= 1;
    reader.nodesLeft -= 1;
    if (node.type === 'text') {
      parts.push(node.data.slice(0, MAX_TEXT_LENGTH));
      length += node.data.length;
      continue;
    }
    if (isElement(node)) {
      if (NO_TEXT.has(node.name) || (node !== element && isLeftOut(node))) continue;
      if (BREAKS.has(node.name)) {
        parts.push(' ');
        open.push(' ');
      }
    }
    open.push(...childrenOf(node).slice(0, left).toReversed());
  }
  return oneLine(parts.join('').slice(0, MAX_TEXT_LENGTH));
}

/**
 * An element's value for a property of Microdata or RDFa, depending on the element (HTML, section 5.2.4 of
 * Microdata).
 */
export function valueOf(element: HtmlElement, property: string, reader: ValueReader): string {
  const { attribs, name } = element;
  const content = attribs['content']?.trim() ?? '';
  if (name === 'meta' || content !== '') return content;
  if (name === 'a' || name === 'area' || name === 'link') {
    return linkValue(element, property, reader);
  }
  if (name === 'img' && !LINK_PROPERTIES.has(property)) return oneLine(attribs['alt'] ?? '');
  if (SOURCES.has(name)) return absolute(attribs['src'] ?? '', reader.base);
  if (name === 'object') return absolute(attribs['data'] ?? '', reader.base);
  if (name === 'data' || name === 'meter') return attribs['value'] ?? '';
  if (name === 'time') return attribs['datetime'] ?? textOf(element, reader);
  return textOf(element, reader);
}

/** The target of a link, unless its text is meant: a name that is a link is still a name. */
function linkValue(element: HtmlElement, property: string, reader: ValueReader): string {
  const href = element.attribs['href']?.trim() ?? '';
  if (element.name === 'link' || LINK_PROPERTIES.has(property)) return absolute(href, reader.base);
  if (property === 'email' && /^mailto:/i.test(href)) return href;
  if (property === 'telephone' && /^(?:tel|callto|sms):/i.test(href)) return href;
  return textOf(element, reader);
}

export function absolute(href: string, base: string): string {
  const trimmed = href.trim();
  if (trimmed === '' || trimmed.length > 2_000) return '';
  return URL.parse(trimmed, base)?.href ?? '';
}
