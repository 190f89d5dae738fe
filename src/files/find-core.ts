import { childrenOf, type HtmlElement, type HtmlNode, isElement } from './html-tree.ts';
import type { Sizes } from './measure-page.ts';

/** The box around the text is the smallest one with this share of the surrounding prose. */
const MIN_SHARE = 0.6;
/** Boxes that lay out a page; a paragraph or table cell with a long text is not a frame. */
const BOXES = new Set(
  'html body div section main article center form fieldset table tbody tr td span font'.split(' '),
);

/** The smallest box that holds nearly all of a page's prose. What lies beside it surrounds the text. */
export function findCore(from: HtmlNode, sizes: Sizes): HtmlNode {
  let core = from;
  for (;;) {
    let heaviest: HtmlElement | null = null;
    let most = 0;
    for (const child of childrenOf(core)) {
      if (!isElement(child)) continue;
      const { prose } = sizes.of(child);
      if (prose <= most) continue;
      heaviest = child;
      most = prose;
    }
    const isCore = heaviest !== null && most >= sizes.of(core).prose * MIN_SHARE;
    if (!isCore || heaviest === null || !BOXES.has(heaviest.name)) return core;
    core = heaviest;
  }
}
