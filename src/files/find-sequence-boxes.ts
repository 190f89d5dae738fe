import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  oneLine,
  rawText,
} from './html-tree.ts';

/** Relations between the pages of a book (HTML 4.01 §6.12, HTML Living Standard §4.6.7). */
const SEQUENCE = /(?:^|\s)(?:prev|previous|next)(?:\s|$)/i;
const BOOK = /(?:^|\s)(?:prev|previous|next|up|home|contents|index|start|first|last|top)(?:\s|$)/i;
const NEVER = /^(?:body|main|article|li|td|th|h[1-6])$/;
const INLINE = /^(?:a|span|b|strong|em|i|small|font|img|br)$/;
const MAX_LENGTH = 600;
const MAX_PARENTS = 8;
/** Length of labels beside such links: "Next:". */
const MAX_LABEL_WORDS = 2;

/** What a page says of the pages before, after and above it. */
interface Neighbours {
  /** URLs as written. */
  sequence: Set<string>;
  book: Set<string>;
  /** Their titles, and that of the page. */
  titles: Set<string>;
}

/**
 * Boxes that link to the page before or after and hold nothing else: links to pages of the same book, labels of a
 * word or two, and titles of those pages, whatever the names of the boxes and labels.
 */
export function findSequenceBoxes(
  root: HtmlNode,
  body: HtmlNode,
  isLeftOut: (element: HtmlElement) => boolean,
): Set<HtmlElement> {
  const found = new Set<HtmlElement>();
  const neighbours = readNeighbours(root);
  if (neighbours.sequence.size === 0) return found;
  const links = elementsOf(body).filter(
    ({ name, attribs }) => name === 'a' && neighbours.sequence.has(attribs['href'] ?? ''),
  );
  const judged = new Set<HtmlElement>();
  for (const link of links.slice(0, 20)) {
    let box: HtmlNode | null = link.parent;
    for (let parents = 0; box && isElement(box) && parents < MAX_PARENTS; parents += 1) {
      if (box.name === 'body' || box.name === 'main' || box.name === 'article') break;
      if (!judged.has(box) && !INLINE.test(box.name)) {
        judged.add(box);
        if (!isSequence(box, neighbours, isLeftOut)) break;
        if (!NEVER.test(box.name)) found.add(box);
      }
      box = box.parent;
    }
  }
  return found;
}

function readNeighbours(root: HtmlNode): Neighbours {
  const neighbours: Neighbours = { sequence: new Set(), book: new Set(), titles: new Set() };
  for (const { name, attribs, children } of elementsOf(root)) {
    if (name === 'title') {
      neighbours.titles.add(titleOf(children.map((child) => rawText(child)).join('')));
    }
    const { rel, href, title } = attribs;
    if ((name !== 'link' && name !== 'a') || rel === undefined || href === undefined) continue;
    if (SEQUENCE.test(rel)) neighbours.sequence.add(href);
    if (!BOOK.test(rel)) continue;
    neighbours.book.add(href);
    if (title !== undefined) neighbours.titles.add(titleOf(title));
  }
  return neighbours;
}

function isSequence(
  box: HtmlElement,
  { book, titles }: Neighbours,
  isLeftOut: (element: HtmlElement) => boolean,
): boolean {
  const text = rawText(box, isLeftOut);
  if (text.length > MAX_LENGTH) return false;
  const rests: string[] = [];
  const open: HtmlNode[] = [box];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node)) {
      if (isLeftOut(node)) continue;
      if (/^h[1-6]$/.test(node.name)) return false;
      if (node.name === 'a' && node.attribs['href'] !== undefined) {
        const { href, accesskey, title } = node.attribs;
        if (!book.has(href) && !href.startsWith('#') && accesskey === undefined) return false;
        if (title !== undefined) rests.push('');
        continue;
      }
      if (isLine(node)) rests.push(lineOf(node, isLeftOut));
    }
    open.push(...childrenOf(node));
  }
  return rests.every((rest) => isLabel(rest) || titles.has(rest) || isTitleOfLink(box, rest));
}

function isLine({ name }: HtmlElement): boolean {
  return !INLINE.test(name);
}

/** The words directly in a box, outside links and inner boxes. */
function lineOf(box: HtmlElement, isLeftOut: (element: HtmlElement) => boolean): string {
  const isElsewhere = (element: HtmlElement): boolean =>
    element !== box && (element.name === 'a' || isLine(element) || isLeftOut(element));
  return titleOf(rawText(box, isElsewhere));
}

function isLabel(line: string): boolean {
  return line.split(/[,|·:[\]()]+/).every((label) => {
    const words = label.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word));
    return words.length <= MAX_LABEL_WORDS;
  });
}

/** Whether the line is a page title that a link in the box has as its `title`. */
function isTitleOfLink(box: HtmlElement, line: string): boolean {
  return elementsOf(box).some(
    ({ name, attribs }) => name === 'a' && titleOf(attribs['title'] ?? '') === line,
  );
}

function titleOf(text: string): string {
  return oneLine(text.replaceAll('\u00A0', ' ')).toLowerCase();
}

function elementsOf(from: HtmlNode): HtmlElement[] {
  const found: HtmlElement[] = [];
  const open: HtmlNode[] = [from];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node)) found.push(node);
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child && child.type !== 'text') open.push(child);
    }
  }
  return found;
}
