import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  rawText,
} from '#src/files/html-tree.ts';
import type { OpenedPage } from '#src/files/open-page.ts';
import { type Column, columnOf } from './table-columns.ts';
import { reversedText } from './decode-text.ts';
import { hasClassOf, isHidden, isReversed, type StyleTricks, styleTricks } from './style-tricks.ts';

/** Replaces something invisible between two characters: a comment, a hidden element, a soft hyphen. */
export const GAP = '\uE000';
/** Surrounds text that was written backwards; it is given here as displayed. */
export const TURNED = '\uE001';
/** An element boundary in a line without a space: words that are displayed apart may touch here. */
export const SEAM = '\uE002';

const LABELS: Readonly<Partial<Record<Column, string>>> = { phone: 'Tel: ', fax: 'Fax: ' };
const MAX_LENGTH = 1_000_000;
const MAX_REVERSED_LENGTH = 2_000;
const UNSEEN = new Set(
  'script style template svg title head iframe object select datalist textarea audio video canvas math'.split(
    ' ',
  ),
);
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
/** Elements that hide noise between the letters of an address; larger elements are hidden for other reasons. */
const NOISE_ELEMENTS = new Set('span b i em u s strong small code del ins font sub sup'.split(' '));
/** A picture of an at sign inside an address. */
const AT_IMAGE = /^\s*(?:@|at|[[(]at[\])])\s*$/i;
const PRIVATE_MARKS = /[\uE000-\uE002]/g;
const ZERO_WIDTH = /[\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]+/g;

const known = new WeakMap<OpenedPage, string>();

/**
 * What a reader of the page sees, one line per block, with `GAP`, `TURNED` and `SEAM` where its markup disguises the
 * text. Truncated at a limit.
 */
export function visiblePageText(page: OpenedPage): string {
  const before = known.get(page);
  if (before !== undefined) return before;
  const text = new Reader(styleTricks(styleSheets(page))).read(page.root);
  known.set(page, text);
  return text;
}

/** The same for finding people and phone numbers: without marks, and with a space at every seam. */
export function withoutMarks(text: string): string {
  return text.replace(/[\uE000\uE001]/g, '').replaceAll(SEAM, ' ');
}

/** Elements in page order, including hidden ones. */
export function* elementsOf(page: OpenedPage): Generator<HtmlElement> {
  const open: HtmlNode[] = [page.root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node)) yield node;
    pushChildren(open, node);
  }
}

function styleSheets(page: OpenedPage): string {
  const parts: string[] = [];
  for (const element of elementsOf(page))
    if (element.name === 'style') parts.push(rawText(element));
  return parts.join('\n');
}

class Reader {
  readonly #tricks: StyleTricks;
  readonly #parts: string[] = [];
  #length = 0;

  constructor(tricks: StyleTricks) {
    this.#tricks = tricks;
  }

  read(root: HtmlNode): string {
    const open: (HtmlNode | string)[] = [root];
    for (
      let next = open.pop();
      next !== undefined && this.#length < MAX_LENGTH;
      next = open.pop()
    ) {
      if (typeof next === 'string') this.#push(next);
      else if (next.type === 'text') this.#push(plainText(next.data));
      else if (next.type === 'comment') this.#push(GAP);
      else if (isElement(next)) this.#enter(next, open);
      else pushChildren(open, next);
    }
    return this.#parts.join('').slice(0, MAX_LENGTH);
  }

  #enter(element: HtmlElement, open: (HtmlNode | string)[]): void {
    const { name } = element;
    const isNoise = NOISE_ELEMENTS.has(name) && hasClassOf(element, this.#tricks.hidden);
    const isInline = INLINE.has(name);
    if (isNoise || isHidden(element) || UNSEEN.has(name)) {
      // The head may contain visible text: broken pages never close it.
      if (name === 'head' && !isHidden(element)) pushChildren(open, element);
      else this.#push(isInline ? GAP : '\n');
      return;
    }
    if (name === 'img' && AT_IMAGE.test(element.attribs['alt'] ?? '')) this.#push(`${GAP}@${GAP}`);
    if (name === 'wbr' || name === 'img') return;
    const edge = edgeOf(name, isInline);
    this.#push(edge);
    // Below a column header a number counts as much as after a label.
    if (name === 'td') this.#push(LABELS[columnOf(element) ?? 'name'] ?? '');
    if (isReversed(element) || hasClassOf(element, this.#tricks.reversed)) {
      const text = plainText(rawText(element).slice(0, MAX_REVERSED_LENGTH)).trim();
      this.#push(`${TURNED}${reversedText(text)}${TURNED}${edge}`);
      return;
    }
    open.push(edge);
    pushChildren(open, element);
  }

  #push(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}

function edgeOf(name: string, isInline: boolean): string {
  if (isInline) return SEAM;
  return name === 'td' || name === 'th' ? ' \t ' : '\n';
}

function plainText(text: string): string {
  return text.replace(PRIVATE_MARKS, ' ').replace(/\s+/g, ' ').replace(ZERO_WIDTH, GAP);
}

function pushChildren(open: (HtmlNode | string)[], node: HtmlNode): void {
  const children = childrenOf(node);
  for (let index = children.length - 1; index >= 0; index -= 1) {
    const child = children[index];
    if (child) open.push(child);
  }
}
