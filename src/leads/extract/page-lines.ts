import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  oneLine,
} from '#src/files/html-tree.ts';
import { type Column, columnOf } from './table-columns.ts';

/** A line as a reader sees it: the text between two block boundaries or line breaks. */
export interface PageLine {
  /** Its text, split by element; no piece is empty. */
  pieces: string[];
  text: string;
  /** The text node in which it begins. */
  node: HtmlNode;
  /** The innermost element of each piece. */
  elements: (HtmlElement | null)[];
  /** In a testimonial, a menu or the like: nobody there belongs to the site's organisation. */
  isForeign: boolean;
  /** In the byline or author box of an article. */
  isAuthor: boolean;
  /** What the header of its table says about its column. */
  column: Column | null;
}

export interface PageLines {
  lines: PageLine[];
  /** First line of a node, and the first line after it. */
  spans: ReadonlyMap<HtmlNode, readonly [number, number]>;
  /** `style` elements, because they may hide text. */
  styles: HtmlElement[];
}

/** Elements that do not begin a line. */
export const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const UNSEEN = new Set(
  'script style template svg head title iframe object select option datalist textarea audio video canvas noscript'.split(
    ' ',
  ),
);
const FOREIGN_ELEMENTS = new Set(['nav', 'blockquote', 'q']);
const FOREIGN_CLASS =
  /testimonial|(?<!p)review|(?:^|[\s_-])(?:quote|zitat|citat|citaat|citaz|cytat|sitat)|customer-stor|case-stud|breadcrumb|(?:^|[\s_-])comments?(?:[\s_-]|$)|(?:^|[\s_-])(?:speakers?|alumn[iae]+)(?:[\s_-]|$)|cookie|kundenstimme|referenz|recommendation|temoignage|opinion/i;
const AUTHOR_CLASS =
  /(?:^|[\s_-])(?:author|byline|post-?meta|entry-?meta|posted-?by|post-?author)/i;
/** Between elements of a line: an en space, which no line contains otherwise. */
export const BOUNDARY = '\u2002';
const MAX_LINES = 20_000;
const MAX_LINES_OF_TEXT = 500;
const MAX_PIECES = 12;
const LONGEST_PIECE = 400;

const known = new WeakMap<HtmlNode, PageLines>();

/** The lines of a page in order, and the range of lines of each node. */
export function readPageLines(root: HtmlNode): PageLines {
  const before = known.get(root);
  if (before) return before;
  const reader = new LineReader();
  reader.read(root);
  const page = { lines: reader.lines, spans: reader.spans, styles: reader.styles };
  known.set(root, page);
  return page;
}

/** The pieces of a line that are not links: links are contacts or navigation, not statements about a person. */
export function piecesOutsideLinks({ pieces, elements }: PageLine): string[] {
  return pieces.filter((_, piece) => linkAround(elements[piece] ?? null) === null);
}

/**
 * The text of a line, with a boundary between elements of several words each: no name goes on there. The parts of a name
 * may be elements of their own.
 */
export function withBoundaries({ pieces, text }: PageLine): string {
  let joined = '';
  for (const [at, piece] of pieces.entries()) {
    const isBoundary = piece.includes(' ') && (pieces[at - 1] ?? '').includes(' ');
    const space = at === 0 || /^[,.;:)]/.test(piece) ? '' : isBoundary ? BOUNDARY : ' ';
    joined += `${space}${piece}`;
  }
  return pieces.length > 1 ? joined : text;
}

/** The link that an element is, or is inside of. */
export function linkAround(element: HtmlElement | null): HtmlElement | null {
  let at: HtmlNode | null = element;
  for (let up = 0; at && isElement(at) && up < 4; up += 1) {
    if (at.name === 'a') return at;
    if (!INLINE.has(at.name)) return null;
    at = at.parent;
  }
  return null;
}

interface Frame {
  node: HtmlNode;
  isForeign: boolean;
  isAuthor: boolean;
  column: Column | null;
  /** The innermost element around a text. */
  element: HtmlElement | null;
}

class LineReader {
  readonly lines: PageLine[] = [];
  readonly spans = new Map<HtmlNode, readonly [number, number]>();
  readonly styles: HtmlElement[] = [];
  #current: PageLine | null = null;

  read(root: HtmlNode): void {
    const open: (Frame | { leave: HtmlNode; start: number })[] = [
      { node: root, isForeign: false, isAuthor: false, column: null, element: null },
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if ('leave' in next) {
        this.#leave(next.leave, next.start);
        continue;
      }
      const { node } = next;
      if (node.type === 'text') this.#text(node, node.data, next);
      if (isElement(node) && (UNSEEN.has(node.name) || isPlainButton(node))) {
        if (node.name === 'style') this.styles.push(node);
        if (node.name !== 'head') continue;
      }
      if (isElement(node) && !INLINE.has(node.name)) this.#end();
      if (this.lines.length >= MAX_LINES) return;
      const children = childrenOf(node);
      if (children.length === 0) continue;
      const inner = isElement(node) ? frameIn(node, next) : next;
      open.push({ leave: node, start: this.#position() });
      for (let index = children.length - 1; index >= 0; index -= 1) {
        const child = children[index];
        if (child) open.push({ ...inner, node: child });
      }
    }
  }

  #position(): number {
    return this.#current ? this.lines.length - 1 : this.lines.length;
  }

  #leave(node: HtmlNode, start: number): void {
    this.spans.set(node, [start, this.lines.length]);
    if (isElement(node) && !INLINE.has(node.name)) this.#end();
  }

  #text(node: HtmlNode, data: string, frame: Frame): void {
    if (frame.element?.name !== 'pre') {
      this.#piece(node, data, frame);
      return;
    }
    const start = this.#position();
    for (const written of data.split('\n', MAX_LINES_OF_TEXT)) {
      this.#piece(node, written, frame);
      this.#end();
    }
    this.spans.set(node, [start, this.lines.length]);
  }

  #piece(node: HtmlNode, data: string, frame: Frame): void {
    const text = oneLine(data.slice(0, LONGEST_PIECE));
    if (text === '') return;
    if (!this.#current) {
      const { isForeign, isAuthor, column } = frame;
      this.#current = { pieces: [], text: '', node, elements: [], isForeign, isAuthor, column };
      this.lines.push(this.#current);
    }
    const line = this.#current;
    this.spans.set(node, [this.lines.length - 1, this.lines.length]);
    if (line.pieces.length >= MAX_PIECES) return;
    line.pieces.push(text);
    line.elements.push(frame.element);
    line.text = line.text === '' ? text : `${line.text}${/^[,.;:)]/.test(text) ? '' : ' '}${text}`;
  }

  #end(): void {
    this.#current = null;
  }
}

/** A button in a heading unfolds what the heading names; the text of any other is an action. */
function isPlainButton({ name, parent }: HtmlElement): boolean {
  if (name !== 'button') return false;
  return parent === null || !isElement(parent) || !/^(?:h[1-6]|dt)$/.test(parent.name);
}

function frameIn(
  element: HtmlElement,
  { isForeign, isAuthor, column }: Frame,
): Omit<Frame, 'node'> {
  const named = `${element.attribs['class'] ?? ''} ${element.attribs['id'] ?? ''}`.slice(0, 300);
  const isNamed = named.length > 1 && element.name !== 'body' && element.name !== 'html';
  return {
    element,
    isForeign:
      isForeign || FOREIGN_ELEMENTS.has(element.name) || (isNamed && FOREIGN_CLASS.test(named)),
    isAuthor: isAuthor || (isNamed && AUTHOR_CLASS.test(named)),
    column: element.name === 'td' || element.name === 'th' ? columnOf(element) : column,
  };
}
