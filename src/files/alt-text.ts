import { childrenOf, type HtmlElement, type HtmlNode, isElement } from './html-tree.ts';

/** Captions are close to their pictures, and a wider search would be slow on a page of thousands of pictures. */
const MAX_BOXES = 5;
const MAX_NODES = 60;
const MAX_CAPTION = 1_000;

/** The alternative text of a picture; empty when the words around it, such as its caption, already say it. */
export function altText(image: HtmlElement): string {
  const alt = image.attribs['alt'] ?? '';
  const words = wordsOf(alt);
  return words !== '' && wordsOf(captionOf(image)).includes(words) ? '' : alt;
}

/** The text of the smallest box around a picture that has any. */
function captionOf(image: HtmlElement): string {
  let box: HtmlNode | null = image.parent;
  for (let boxes = 0; box && isElement(box) && boxes < MAX_BOXES; boxes += 1) {
    const text = textWithin(box);
    if (text === null || text.trim() !== '') return text ?? '';
    box = box.parent;
  }
  return '';
}

/** Null when the box is too large for a picture and its caption. */
function textWithin(box: HtmlElement): string | null {
  let text = '';
  const open: HtmlNode[] = [box];
  for (let nodes = 0; open.length > 0; nodes += 1) {
    const node = open.pop();
    if (node === undefined) break;
    if (node.type === 'text') text += ` ${node.data}`;
    const children = childrenOf(node);
    if (nodes + children.length > MAX_NODES || text.length > MAX_CAPTION) return null;
    open.push(...children.toReversed());
  }
  return text;
}

/** Pads with spaces, so that only whole words match. */
function wordsOf(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length === 0 ? '' : ` ${words.join(' ')} `;
}
