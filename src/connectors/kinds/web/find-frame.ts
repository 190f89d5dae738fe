import { type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';
import { findCore } from '#src/files/find-core.ts';
import { measurePage } from '#src/files/measure-page.ts';
import { type Sum, sumsOf } from './frame-sums.ts';
import { readUnits, type TextUnit, type UnitBox } from './page-units.ts';
import type { SiteFrame } from './site-frame.ts';

/** What remains of a page after its names and roles have been judged. */
export interface FramedPage {
  root: HtmlNode;
  isLeftOut: (element: HtmlElement) => boolean;
  host: string;
  /** Identifies the page. */
  key: string;
  /** As the page names itself. */
  title: string;
  /** The end of its address. */
  file: string;
}

/** The part of a page that belongs to its site. */
export interface PageFrame {
  elements: Set<HtmlElement>;
  /** Texts in places where the site's frame may be. */
  candidates: TextUnit[];
}

type Place = 'around' | 'beside' | 'edge' | 'text';

/** Share of the letters of a box, where nothing else shows that it belongs to the site. */
const KNOWN_SHARE = 0.9;
/** Share of the texts of a box with known links: the others are titles that change from page to page. */
const KNOWN_UNITS = 0.5;
/** A box beside the text with a smaller known share has content of its own. */
const CONTENT_SHARE = 0.5;
/** A longer unknown text is a sentence, not a label. */
const MAX_LABEL = 80;
/** Titles of neighbours and of the page's own sections; more is an index. */
const MAX_UNKNOWN = 1_000;
const SMALL_LIST = 40;
const MAX_CANDIDATES = 400;
const HEADING = /^h[1-6]$/;
/** What stands in one of these belongs together. */
const ITEM = /^(?:li|dt|dd|td|th)$/;
const INLINE = /^(?:span|b|i|em|strong|code|small|font|tt|var|u)$/;
const IN_LINES = /^(?:span|b|i|em|strong|code|small|font|tt|var|u|a|wbr|br|img|sub|sup|time)$/;
/** Boxes in a line. */
const MAX_LINE = 40;
/** A box with own sentences and no larger share of known links has content of its own. */
const MAX_LINKS = 0.25;
const TEXT_BOXES = new Set('div p ul ol dl table section form header center details'.split(' '));

/**
 * Separates the text of a page from what its site puts around it, by comparison with the site's other pages. Beside
 * the text, it drops boxes that are entirely known, and boxes with known links and otherwise short texts: "Prev",
 * "Next" and two titles. Within the text, it drops only boxes of links whose every text is on half of all pages.
 */
export function findFrame(page: FramedPage, frame: SiteFrame): PageFrame {
  const boxes = readUnits(page.root, page.host, page.isLeftOut);
  const sums = sumsOf(boxes, page, frame);
  const places = placesOf(boxes, sums, page);
  const elements = new Set<HtmlElement>();
  const candidates: TextUnit[] = [];
  let endOfList = 0;
  let endOfText = 0;
  let endOfItem = 0;
  let endOfSite = 0;
  for (let at = 0; at < boxes.length; at += 1) {
    const box = boxes[at];
    const sum = sums[at];
    const place = places[at];
    if (!box || !sum || !place) continue;
    if (place === 'text' && isSmallList(box, sum)) endOfList = Math.max(endOfList, box.end);
    // Where the site's frame may be: beside the text, at its edges, and in lists of links.
    if (place === 'beside' || place === 'edge' || at < endOfList) candidates.push(...box.units);
    if (!isElement(box.node) || at < endOfSite) continue;
    if (place === 'edge' && ITEM.test(box.node.name) && sum.known < sum.units) {
      endOfItem = Math.max(endOfItem, box.end);
    }
    if (isWithinPage(box.node, page)) {
      candidates.push(...box.units);
      if (sum.units > 0 && sum.common === sum.units) elements.add(box.node);
    }
    const isInText = (place === 'beside' && at < endOfText) || (place === 'edge' && at < endOfItem);
    const judged = isInText ? 'text' : place;
    if (isOfSite(box.node, sum, judged) && !isOfLine(box, boxes, sums)) {
      elements.add(box.node);
      endOfSite = box.end;
    } else if (judged === 'beside' && isContent(sum)) endOfText = box.end;
  }
  return { elements, candidates: distinct(candidates).slice(0, MAX_CANDIDATES) };
}

function isOfSite({ name }: HtmlElement, sum: Sum, place: Place): boolean {
  if (sum.units === 0 || HEADING.test(name)) return false;
  const isAllCommon = sum.common === sum.units;
  switch (place) {
    case 'around':
      return false;
    case 'beside':
      return isKnown(sum) || isMixed(sum);
    case 'edge':
      return TEXT_BOXES.has(name) && (isMixed(sum) || (isAllCommon && sum.headings === 0));
    case 'text':
      return TEXT_BOXES.has(name) && isAllCommon && sum.links >= 2 && sum.links * 2 >= sum.units;
  }
}

/** Part of a line that has words of its own, such as "public class" before a name. */
function isOfLine({ node, around }: UnitBox, boxes: readonly UnitBox[], sums: readonly Sum[]) {
  const line = boxes[around];
  if (!line || !isElement(node) || !INLINE.test(node.name)) return false;
  if (line.end - around > MAX_LINE || (sums[around]?.longest ?? 0) === 0) return false;
  const inside = boxes.slice(around + 1, line.end);
  return inside.every((one) => isElement(one.node) && IN_LINES.test(one.node.name));
}

/** A link to a place on the same page. With the same words on half of all pages it only moves the reader: "More". */
function isWithinPage({ name, attribs }: HtmlElement, { file }: FramedPage): boolean {
  const href = attribs['href'] ?? '';
  return name === 'a' && (href.startsWith('#') || (file !== '' && href.startsWith(`${file}#`)));
}

/** A second column or a note beside the text: its content is judged like the text. */
function isContent({ longest, length, knownLength, sentences, knownLinks, units }: Sum): boolean {
  const hasSentences = sentences > 0 && knownLinks <= units * MAX_LINKS;
  return longest > MAX_LABEL || knownLength < length * CONTENT_SHARE || hasSentences;
}

function isKnown({ length, knownLength, headings, links }: Sum): boolean {
  // "Introduction" is a heading on many pages.
  return knownLength >= length * KNOWN_SHARE && (headings === 0 || links >= 3);
}

function isMixed(sum: Sum): boolean {
  const { units, known, knownLinks, longest, sentences, ownHeadings, length, knownLength } = sum;
  const isLabelled = knownLinks >= 2 && known >= units * KNOWN_UNITS;
  const hasText = longest > MAX_LABEL || sentences > 0 || ownHeadings > 0;
  return isLabelled && !hasText && length - knownLength <= MAX_UNKNOWN;
}

function isSmallList({ node }: UnitBox, { units, links }: Sum): boolean {
  const isBox = isElement(node) && TEXT_BOXES.has(node.name);
  return isBox && units <= SMALL_LIST && links >= 2 && links * 2 >= units;
}

/** Which boxes are around the text, beside it, at its edges, and in it. */
function placesOf(boxes: readonly UnitBox[], sums: readonly Sum[], page: FramedPage): Place[] {
  const isKnownBox = new Set<HtmlNode>();
  boxes.forEach(({ node, units }, at) => {
    const sum = sums[at];
    if (units.length > 0 && sum && sum.known === sum.units) isKnownBox.add(node);
  });
  const sizes = measurePage(page.root, page.isLeftOut, (text) =>
    text.parent === null ? false : isKnownBox.has(text.parent),
  );
  const core = findCore(page.root, sizes);
  const coreAt = boxes.findIndex(({ node }) => node === core);
  const coreEnd = boxes[coreAt]?.end ?? boxes.length;
  const isText = boxes.map((box, at) => at > coreAt && at < coreEnd && isOwnText(box, sums[at]));
  const first = isText.indexOf(true);
  const last = isText.lastIndexOf(true);
  return boxes.map(({ end }, at): Place => {
    if (at <= coreAt && end >= coreEnd) return 'around';
    if (at < coreAt || at >= coreEnd) return 'beside';
    return end <= first || at > last ? 'edge' : 'text';
  });
}

/** A heading or sentence that only this page has. */
function isOwnText({ node }: UnitBox, sum: Sum | undefined): boolean {
  if (!sum || sum.units === 0) return false;
  if (isElement(node) && HEADING.test(node.name)) return sum.known < sum.units;
  return (
    isElement(node) && /^(?:p|pre|dd|blockquote)$/.test(node.name) && sum.longest > MAX_LABEL / 2
  );
}

function distinct(units: readonly TextUnit[]): TextUnit[] {
  return [...new Map(units.map((unit) => [unit.key, unit])).values()];
}
