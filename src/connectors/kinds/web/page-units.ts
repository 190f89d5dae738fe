import { childrenOf, type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';

/** A piece of text as the page has it: what stands between two tags, or what a picture says. */
export interface TextUnit {
  /** The same for the same words, whatever their case and numbers; links and other text are told apart. */
  key: string;
  isLink: boolean;
  /** Letters and digits. */
  length: number;
}

/** An element with what stands in it directly. */
export interface UnitBox {
  node: HtmlNode;
  /** Place of the box around it in the list; -1 for the outermost. */
  around: number;
  /** Place behind the last box in it. */
  end: number;
  units: TextUnit[];
}

/** Boxes of a page with their texts, in the order of the page, without those that `isLeftOut` names. */
export function readUnits(
  root: HtmlNode,
  host: string,
  isLeftOut: (element: HtmlElement) => boolean,
): UnitBox[] {
  const boxes: UnitBox[] = [];
  const open: { node: HtmlNode; around: number; isLink: boolean; box: UnitBox | null }[] = [
    { node: root, around: -1, isLink: false, box: null },
  ];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { node, around, box } = step;
    if (box !== null) {
      box.end = boxes.length;
      continue;
    }
    const isLink = step.isLink || (isElement(node) && node.name === 'a');
    const own: UnitBox = { node, around, end: boxes.length + 1, units: [] };
    const place = boxes.push(own) - 1;
    open.push({ node, around, isLink, box: own });
    if (isElement(node) && node.name === 'img') addUnit(own, node.attribs['alt'], isLink, host);
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child === undefined) continue;
      if (child.type === 'text') addUnit(own, child.data, isLink, host);
      else if (isElement(child) && !isLeftOut(child)) {
        open.push({ node: child, around: place, isLink, box: null });
      }
    }
  }
  return boxes;
}

function addUnit(box: UnitBox, text: string | undefined, isLink: boolean, host: string): void {
  const letters = text?.match(/[\p{L}\p{N}]+/gu);
  // Numbers alone are on all pages.
  if (!letters?.some((word) => /\p{L}/u.test(word))) return;
  const words = letters.join(' ').toLowerCase();
  const length = words.length - (letters.length - 1);
  box.units.push({ key: hashOf(`${host} ${isLink ? 'a' : ''} ${words}`), isLink, length });
}

/** Two times 32 bits of FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): texts of a page are many. */
function hashOf(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x01234567;
  for (let index = 0; index < text.length; index += 1) {
    // Dates and numbers of pages change from page to page.
    const code = text.charCodeAt(index);
    const sign = code >= 48 && code <= 57 ? 48 : code;
    first = Math.imul(first ^ sign, 0x01000193);
    second = Math.imul(second ^ sign, 0x01000193) ^ (second >>> 15);
  }
  return (first >>> 0).toString(36) + (second >>> 0).toString(36);
}
