import { childrenOf, type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';

/** A piece of text as on the page: what stands between two tags, or the text of a picture. */
export interface TextUnit {
  /** The same for the same words, whatever their case and numbers; differs between links and other text. */
  key: string;
  isLink: boolean;
  /** Letters and digits. */
  length: number;
  /** In lower case, with one space between. */
  words: string;
  /** Whether it ends as sentences do, and titles and labels do not. */
  endsSentence: boolean;
}

/** An element and the text directly in it. */
export interface UnitBox {
  node: HtmlNode;
  /** Index of the enclosing box in the list; -1 for the outermost. */
  around: number;
  /** Index after the last box inside it. */
  end: number;
  units: TextUnit[];
}

/** "No." and "etc." end none. */
const MIN_SENTENCE = 12;
const SENTENCE_END = /[.。！？][)"'’”»]?$/u;

/** The boxes of a page and their texts, in page order, without those that `isLeftOut` matches. */
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
  const key = hashOf(`${host} ${isLink ? 'a' : ''} ${words}`);
  const endsSentence =
    length >= MIN_SENTENCE && SENTENCE_END.test((text ?? '').trimEnd().slice(-2));
  box.units.push({ key, isLink, length, words, endsSentence });
}

/** The form of `TextUnit.words`. */
export function wordsOf(text: string): string {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ').toLowerCase();
}

/** Two 32-bit FNV-1a hashes (http://www.isthe.com/chongo/tech/comp/fnv/), fast because pages have many texts. */
function hashOf(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x01234567;
  for (let index = 0; index < text.length; index += 1) {
    // Dates and numbers change from page to page.
    const code = text.charCodeAt(index);
    const sign = code >= 48 && code <= 57 ? 48 : code;
    first = Math.imul(first ^ sign, 0x01000193);
    second = Math.imul(second ^ sign, 0x01000193) ^ (second >>> 15);
  }
  return (first >>> 0).toString(36) + (second >>> 0).toString(36);
}
