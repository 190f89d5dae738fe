import { type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';

/** How much a box holds. Lengths are counts of characters that are no white space. */
export interface Size {
  text: number;
  linkText: number;
  links: number;
  /** Whether an `h1` is in it. */
  hasHeading: boolean;
  /** Whether a `main` or `article` is in it. */
  hasContent: boolean;
}

export interface Sizes {
  of(node: HtmlNode): Size;
}

const NOTHING: Size = { text: 0, linkText: 0, links: 0, hasHeading: false, hasContent: false };

/** Measures every box of a page in one walk, without the elements that `isLeftOut` names. */
export function measurePage(from: HtmlNode, isLeftOut: (element: HtmlElement) => boolean): Sizes {
  const sizes = new Map<HtmlNode, Size>();
  /** Each box comes twice: to be opened, and, when all in it was measured, to be added to the box around it. */
  const open: { node: HtmlNode; around: Size | null; size: Size | null }[] = [
    { node: from, around: null, size: null },
  ];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { node, around, size } = step;
    if (size !== null) {
      if (around !== null) addTo(around, size, node);
      continue;
    }
    const own = { ...NOTHING };
    sizes.set(node, own);
    open.push({ node, around, size: own });
    if (!('children' in node)) continue;
    for (const child of node.children) {
      if (child.type === 'text') own.text += visibleLength(child.data);
      else if (isElement(child) && !isLeftOut(child)) {
        open.push({ node: child, around: own, size: null });
      }
    }
  }
  return { of: (node) => sizes.get(node) ?? NOTHING };
}

function addTo(around: Size, size: Size, node: HtmlNode): void {
  const name = isElement(node) ? node.name : '';
  const isLink = name === 'a';
  around.text += size.text;
  around.linkText += isLink ? size.text : size.linkText;
  around.links += size.links + (isLink ? 1 : 0);
  around.hasHeading ||= size.hasHeading || name === 'h1';
  around.hasContent ||= size.hasContent || name === 'main' || name === 'article';
}

function visibleLength(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 32 && code !== 0xa0) count += 1;
  }
  return count;
}
