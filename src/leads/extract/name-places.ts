import { type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';
import { INLINE } from './page-lines.ts';

const SET_OFF = new Set([
  'strong',
  'b',
  'a',
  'dt',
  'th',
  'figcaption',
  'td',
  'em',
  'summary',
  'caption',
]);
const NAME_CLASS = /(?:^|[\s_-])(?:name|fullname|fn|title|heading|headline)(?:[\s_-]|$)|name$/i;

/**
 * How strongly an element emphasizes a name: 3 for headings and elements marked as names, 2 for emphasis, 1 for plain
 * text.
 */
export function strengthOf(element: HtmlElement | null): 1 | 2 | 3 {
  let strength: 1 | 2 = 1;
  let at: HtmlNode | null = element;
  for (let up = 0; at && isElement(at) && up < 3; up += 1) {
    if (/^h[1-6]$/.test(at.name)) return 3;
    const named = `${at.attribs['class'] ?? ''} ${at.attribs['itemprop'] ?? ''}`.slice(0, 200);
    if (up < 2 && named.length > 1 && named.split(/\s+/).some((one) => NAME_CLASS.test(one)))
      return 3;
    if (SET_OFF.has(at.name) && up < 2) strength = 2;
    at = at.parent;
  }
  return strength;
}

/** The innermost block element around a text. */
export function blockAround(element: HtmlElement | null): HtmlElement | null {
  let at = element;
  while (at && INLINE.has(at.name) && at.parent && isElement(at.parent)) at = at.parent;
  return at;
}

/**
 * Numbers the places in a page's structure: elements with the same path of tag names and the same classes share a
 * number. On a deep page, a path string per name would be too long.
 */
export class Places {
  readonly #ids = new Map<HtmlNode, number>();
  readonly #paths = new Map<string, number>();

  of(innermost: HtmlElement | null): string {
    const element = blockAround(innermost);
    const chain: HtmlNode[] = [];
    let at: HtmlNode | null = element;
    while (at && !this.#ids.has(at)) {
      chain.push(at);
      at = at.parent;
    }
    let id = at ? (this.#ids.get(at) ?? 0) : 0;
    for (const node of chain.toReversed()) {
      const step = `${id} ${isElement(node) ? node.name : ''}`;
      id = this.#paths.get(step) ?? this.#paths.size + 1;
      this.#paths.set(step, id);
      this.#ids.set(node, id);
    }
    const classes = (element?.attribs['class'] ?? '').slice(0, 200).split(/\s+/);
    return `${id} ${classes
      .filter((one) => !/\d/.test(one))
      .toSorted()
      .join('.')}`;
  }
}
