import { type HtmlElement, type HtmlNode, isElement } from './html-tree.ts';

/** How much a box holds. Lengths count characters other than white space. */
export interface Size {
  text: number;
  linkText: number;
  links: number;
  /** Whether it contains an `h1`. */
  hasHeading: boolean;
  /** Whether it contains a `main` or `article`. */
  hasContent: boolean;
  /**
   * How much of it reads like prose: long lines count for more than many short ones, and words in links for little.
   */
  prose: number;
}

export interface Sizes {
  of(node: HtmlNode): Size;
}

/** A size being added up: the line that runs through a box and its inline elements has not ended yet. */
interface OpenSize extends Size {
  line: number;
}

const NOTHING: Size = {
  text: 0,
  linkText: 0,
  links: 0,
  hasHeading: false,
  hasContent: false,
  prose: 0,
};
/** A line of this length is prose, and counts no more when longer. */
const LONG_LINE = 250;
const LINK_WEIGHT = 0.25;
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/**
 * Measures every box of a page in one walk, without the elements that `isLeftOut` matches. Text that `isKnown`
 * matches does not count as prose.
 */
export function measurePage(
  from: HtmlNode,
  isLeftOut: (element: HtmlElement) => boolean,
  isKnown: (text: HtmlNode) => boolean = () => false,
): Sizes {
  const sizes = new Map<HtmlNode, OpenSize>();
  /**
   * Each box comes up twice: to be opened, and, after its content has been measured, to be added to the box around
   * it.
   */
  const open: { node: HtmlNode; around: OpenSize | null; size: OpenSize | null }[] = [
    { node: from, around: null, size: null },
  ];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { node, around, size } = step;
    if (size !== null) {
      endLine(node, size);
      if (around !== null) addTo(around, size, node);
      continue;
    }
    const own = { ...NOTHING, line: 0 };
    sizes.set(node, own);
    open.push({ node, around, size: own });
    if (!('children' in node)) continue;
    for (const child of node.children) {
      if (child.type === 'text') {
        const length = visibleLength(child.data);
        own.text += length;
        if (length > 0 && !isKnown(child)) own.line += length;
      } else if (isElement(child) && !isLeftOut(child)) {
        open.push({ node: child, around: own, size: null });
      }
    }
  }
  return { of: (node) => sizes.get(node) ?? NOTHING };
}

/** A line ends with its box. Squaring makes one long line outweigh many short ones of the same total length. */
function endLine(node: HtmlNode, size: OpenSize): void {
  if (isElement(node) && INLINE.has(node.name)) {
    if (node.name === 'a') size.line *= LINK_WEIGHT;
    return;
  }
  size.prose += Math.min(size.line, LONG_LINE) ** 2;
  size.line = 0;
}

function addTo(around: OpenSize, size: OpenSize, node: HtmlNode): void {
  const name = isElement(node) ? node.name : '';
  const isLink = name === 'a';
  around.text += size.text;
  around.linkText += isLink ? size.text : size.linkText;
  around.links += size.links + (isLink ? 1 : 0);
  around.hasHeading ||= size.hasHeading || name === 'h1';
  around.hasContent ||= size.hasContent || name === 'main' || name === 'article';
  around.prose += size.prose;
  around.line += size.line;
}

function visibleLength(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 32 && code !== 0xa0) count += 1;
  }
  return count;
}
