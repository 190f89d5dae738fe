import { type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';
import { findCore } from './find-core.ts';
import { measurePage } from './measure-page.ts';
import { readUnits, type TextUnit, type UnitBox } from './page-units.ts';
import type { SiteFrame } from './site-frame.ts';

/** What remains of a page after its names and roles have been judged. */
export interface FramedPage {
  root: HtmlNode;
  isLeftOut: (element: HtmlElement) => boolean;
  host: string;
  /** Identifies the page. */
  key: string;
}

/** The part of a page that belongs to its site. */
export interface PageFrame {
  elements: Set<HtmlElement>;
  /** Texts in places where the site's frame may be. */
  candidates: TextUnit[];
}

/** The content of a box and everything inside it. Lengths count letters and digits. */
interface Sum {
  units: number;
  length: number;
  known: number;
  knownLength: number;
  knownLinks: number;
  links: number;
  common: number;
  /** The longest text in it that is neither known nor a link. */
  longest: number;
  headings: number;
  ownHeadings: number;
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
    const judged = place === 'beside' && at < endOfText ? 'text' : place;
    if (isOfSite(box.node, sum, judged)) {
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

/** A second column or a note beside the text: its content is judged like the text. */
function isContent({ longest, length, knownLength }: Sum): boolean {
  return longest > MAX_LABEL || knownLength < length * CONTENT_SHARE;
}

function isKnown({ length, knownLength, headings, links }: Sum): boolean {
  // "Introduction" is a heading on many pages.
  return knownLength >= length * KNOWN_SHARE && (headings === 0 || links >= 3);
}

function isMixed(sum: Sum): boolean {
  const { units, known, knownLinks, longest, ownHeadings, length, knownLength } = sum;
  const isLabelled = knownLinks >= 2 && known >= units * KNOWN_UNITS;
  return (
    isLabelled && longest <= MAX_LABEL && ownHeadings === 0 && length - knownLength <= MAX_UNKNOWN
  );
}

function isSmallList({ node }: UnitBox, { units, links }: Sum): boolean {
  const isBox = isElement(node) && TEXT_BOXES.has(node.name);
  return isBox && units <= SMALL_LIST && links >= 2 && links * 2 >= units;
}

function sumsOf(boxes: readonly UnitBox[], page: FramedPage, frame: SiteFrame): Sum[] {
  const sums = boxes.map((box) => ownSum(box, page, frame));
  for (let at = boxes.length - 1; at > 0; at -= 1) {
    const own = sums[at];
    const around = sums[boxes[at]?.around ?? -1];
    if (!own || !around) continue;
    around.units += own.units;
    around.length += own.length;
    around.known += own.known;
    around.knownLength += own.knownLength;
    around.knownLinks += own.knownLinks;
    around.links += own.links;
    around.common += own.common;
    around.longest = Math.max(around.longest, own.longest);
    around.headings += own.headings;
    around.ownHeadings += own.ownHeadings;
    const node = boxes[at]?.node;
    if (node && isElement(node) && HEADING.test(node.name) && own.units > 0) {
      around.headings += 1;
      if (own.known < own.units) around.ownHeadings += 1;
    }
  }
  return sums;
}

function ownSum({ units }: UnitBox, { key }: FramedPage, frame: SiteFrame): Sum {
  const known = units.filter((unit) => frame.isKnown(unit, key));
  const others = units.filter((unit) => !unit.isLink && !frame.isKnown(unit, key));
  return {
    units: units.length,
    length: lengthOf(units),
    known: known.length,
    knownLength: lengthOf(known),
    knownLinks: known.filter(({ isLink }) => isLink).length,
    links: units.filter(({ isLink }) => isLink).length,
    common: units.filter((unit) => frame.isCommon(unit, key)).length,
    longest: Math.max(0, ...others.map(({ length }) => length)),
    headings: 0,
    ownHeadings: 0,
  };
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

function lengthOf(units: readonly TextUnit[]): number {
  return units.reduce((sum, { length }) => sum + length, 0);
}
