import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  rawText,
} from '#src/files/html-tree.ts';
import type { OpenedPage } from '#src/files/open-page.ts';
import { type Column, columnOf, headerOf } from './table-columns.ts';
import { reversedText } from './decode-text.ts';
import { namesExtensions } from './extensions.ts';
import { hasClassOf, isHidden, isReversed, type StyleTricks, styleTricks } from './style-tricks.ts';

/** Replaces something invisible between two characters: a comment, a hidden element, a soft hyphen. */
export const GAP = '\uE000';
/** Surrounds text that was written backwards; it is given here as displayed. */
export const TURNED = '\uE001';
/** An element boundary in a line without a space: words that are displayed apart may touch here. */
export const SEAM = '\uE002';

const LABELS: Readonly<Partial<Record<Column, string>>> = { phone: 'Tel: ', fax: 'Fax: ' };
/** Headers of columns of other numbers; a label before each cell says so. */
const OTHER_NUMBERS =
  /(?<!\p{L})(?:order|item|part|art(?:ikel|icle|icolo|ículo|igo)?|bestell\p{L}*|tilaus\p{L}*|beställ\p{L}*|objedn\p{L}*|zamówieni\p{L}*|rendel\p{L}*|sku|ref|réf\p{L}*|refer\p{L}*|serial|serie\p{L}*|licen[cs]e|licencia|lizenz|member|mitglieds?\p{L}*|reg(?:istration|istro|ister\p{L}*)?|iban|konto\p{L}*|account|compte|cuenta|conto|cod(?:e|ice|igo)|código|kód|kod|ean|isbn|invoice|rechnung\p{L}*|facture|factura|fattura|faktur\p{L}*|case|file|dossier|expediente|pratica|protocollo|aktenzeichen|y-tunnus|cvr|cif|nif|siret|ičo?|oib|cui|postal|postcode|plz|zip|cep|cap)(?!\p{L})/iu;
const OTHER_LABEL = 'No. ';
const EXTENSION = /^\s*[-–]?\s*\d{2,5}\s*$/u;
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
/** An icon of an at sign: `fa-at`, `icon-at-sign`. */
const AT_CLASS = /(?:^|[\s_-])at(?:-?sign)?(?:$|\s)/i;
const LOCAL_END = /[\p{L}\p{N}_-]$/u;
const DOMAIN_START = /^[\p{L}\p{N}][\p{L}\p{N}-]*\.[\p{L}\p{N}]/u;
/** An address that goes on in the next line. */
const BROKEN = /[\p{L}\p{N}_]@(?:[\p{L}\p{N}.-]*-)?$/u;
const BROKEN_BEFORE_DOT = /@[\p{L}\p{N}-]+$/u;
const BROKEN_BEFORE_SIGN = /^[\p{L}\p{N}]+(?:[._][\p{L}\p{N}]+)+$/u;
const LONGEST_BESIDE = 300;
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
  /** Whether the next text goes on with an address. */
  #isBroken = false;

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
      else if (next.type === 'text') this.#text(plainText(next.data));
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
      else if (name === 'svg' && isAtIcon(element)) this.#push(`${GAP}@${GAP}`);
      else this.#push(isInline ? GAP : '\n');
      return;
    }
    if (name === 'img' && AT_IMAGE.test(element.attribs['alt'] ?? '')) this.#push(`${GAP}@${GAP}`);
    if (name === 'wbr' || name === 'img') return;
    if (name === 'br' && breaksAddress(element)) {
      this.#parts.push(this.#parts.pop()?.trimEnd() ?? '', GAP);
      this.#isBroken = true;
      return;
    }
    const edge = edgeOf(name, isInline);
    this.#push(edge);
    if (hasClassOf(element, this.#tricks.signBefore) || (isInline && isAtIcon(element))) {
      this.#push(`${GAP}@${GAP}`);
    }
    // Below a column header a number counts as much as after a label.
    if (name === 'td') this.#push(labelOfCell(element));
    if (isReversed(element) || hasClassOf(element, this.#tricks.reversed)) {
      const text = plainText(rawText(element).slice(0, MAX_REVERSED_LENGTH)).trim();
      this.#push(`${TURNED}${reversedText(text)}${TURNED}${edge}`);
      return;
    }
    open.push(edge);
    if (hasClassOf(element, this.#tricks.signBehind)) open.push(`${GAP}@${GAP}`);
    pushChildren(open, element);
  }

  #text(text: string): void {
    this.#push(this.#isBroken ? text.trimStart() : text);
    this.#isBroken = false;
  }

  #push(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}

/** Whether an empty element, a picture or an icon, is the at sign between the parts of an address. */
function isAtIcon(element: HtmlElement): boolean {
  const { attribs, name, children } = element;
  if (name !== 'svg' && children.length > 0) return false;
  const title = children.find((child) => isElement(child) && child.name === 'title');
  const named = [attribs['aria-label'], attribs['title'], title && rawText(title)];
  const isNamed =
    named.some((text) => AT_IMAGE.test(text ?? '')) || AT_CLASS.test(attribs['class'] ?? '');
  return (
    isNamed &&
    LOCAL_END.test(textBeside(element, 'prev')) &&
    DOMAIN_START.test(textBeside(element, 'next'))
  );
}

/** Whether a line break stands within an address: "jane@<br>acme.test". */
function breaksAddress(element: HtmlElement): boolean {
  const before = textBeside(element, 'prev').trimEnd();
  const behind = textBeside(element, 'next').trimStart();
  if (BROKEN.test(before)) return DOMAIN_START.test(behind);
  if (behind.startsWith('.')) return BROKEN_BEFORE_DOT.test(before) && /^\.\p{L}/u.test(behind);
  return (
    behind.startsWith('@') &&
    BROKEN_BEFORE_SIGN.test(before.trimStart()) &&
    DOMAIN_START.test(behind.slice(1))
  );
}

function textBeside(element: HtmlElement, side: 'prev' | 'next'): string {
  const node = element[side];
  if (!node) return '';
  const text = node.type === 'text' ? node.data : isElement(node) ? rawText(node) : '';
  return side === 'prev' ? text.slice(-LONGEST_BESIDE) : text.slice(0, LONGEST_BESIDE);
}

function labelOfCell(cell: HtmlElement): string {
  const column = columnOf(cell);
  if (isExtension(cell)) return LABELS.phone ?? '';
  if (column !== null) return LABELS[column] ?? '';
  return OTHER_NUMBERS.test(headerOf(cell) ?? '') ? OTHER_LABEL : '';
}

/** "Poste" above a name of a job, too. */
function isExtension(cell: HtmlElement): boolean {
  const header = headerOf(cell);
  return header !== null && namesExtensions(header) && EXTENSION.test(rawText(cell));
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
