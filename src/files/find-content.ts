import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  type HtmlRoot,
  isElement,
  rawText,
} from './html-tree.ts';
import { classesOf, hasConsentName, hasSurroundingName, isNeverContent } from './page-parts.ts';
import { findCore } from './find-core.ts';
import { findSequenceBoxes } from './find-sequence-boxes.ts';
import { measurePage, type Sizes } from './measure-page.ts';

/** The part of a page to read. */
export interface PageContent {
  /** The element whose content is read. */
  root: HtmlNode;
  /** Parts of it that are not read. */
  isLeftOut: (element: HtmlElement) => boolean;
}

/** Above this share of link words, the purpose of a box is its links. */
const LINK_SHARE = 0.75;
const MIN_LINKS = 4;
/** A box with more than this share of the page is never considered to surround it. */
const MAX_SURROUNDING_SHARE = 0.5;
/** Above this ratio, lists of links are what an index page is for, even with text at its foot. */
const MAX_LISTS_PER_TEXT = 2;
const MAX_CONSENT_SHARE = 0.2;
/** Below this share of links, a box named "menu" may belong to a restaurant, and a "sidebar" may be a note. */
const MIN_MENU_LINK_SHARE = 0.3;
const LONG_MENU = 200;
/** A line of 60 characters, in units of `Size.prose`. */
const LONG_LINE = 3_600;
/** If less than this share of a page would remain, the page is a list of links. */
const MIN_SHARE_LEFT = 0.1;
/** A `main` with less text, on a page with much more text, is a box that only scripts fill. */
const EMPTY_MAIN = 50;
const FULL_PAGE = 1_500;
const NEVER_SURROUNDING = /^(?:html|body|main|article|h[1-6]|pre|code|table|td)$/;
const LINK_BOXES = new Set(['ul', 'ol', 'div', 'section', 'table', 'p', 'dl', 'center']);
const HEADING = /^h[1-6]$/;
/** A line of 30 characters. */
const LEAST_PROSE = 900;

/**
 * The content of a page: one `main` (the author's own statement, HTML Living Standard §4.4.14) or one `article`, else
 * the body without the parts whose tags, roles, names or share of links show that they surround it.
 */
export function findContent(root: HtmlRoot, options: { hidesSticky: boolean }): PageContent {
  const body = firstOf(root, 'body') ?? root;
  const isHidden = (element: HtmlElement): boolean =>
    options.hidesSticky &&
    classesOf(element).some((name) => name === 'sticky' || name === 'hidden');
  const isNever = judgedOnce((element) => isNeverContent(element) || isHidden(element));
  const sizes = measurePage(body, isNever);
  const named = namedSurroundings(body, sizes, isNever);
  const sequence = findSequenceBoxes(root, body, isNever);
  const isOut = (element: HtmlElement): boolean =>
    named.has(element) || sequence.has(element) || isNever(element);
  const marked = markedContent(body, sizes, isOut);
  const isOutOfContent = (element: HtmlElement): boolean => isOut(element) || isFooter(element);
  if (marked) return { root: marked, isLeftOut: isOutOfContent };
  const surroundings = unmarkedSurroundings(body, isOutOfContent);
  return {
    root: body,
    isLeftOut: (element) => surroundings.has(element) || isOutOfContent(element),
  };
}

/** Caches the answer, because each walk asks about every element. */
function judgedOnce(judge: (element: HtmlElement) => boolean): (element: HtmlElement) => boolean {
  const verdicts = new Map<HtmlElement, boolean>();
  return (element) => {
    const before = verdicts.get(element);
    if (before !== undefined) return before;
    const verdict = judge(element);
    verdicts.set(element, verdict);
    return verdict;
  };
}

function isFooter({ name, parent }: HtmlElement): boolean {
  if (name !== 'footer') return false;
  // A footer in a quotation names its author.
  return !(parent && isElement(parent) && parent.name === 'blockquote');
}

/** Boxes whose names say that they surround the text. */
function namedSurroundings(
  body: HtmlNode,
  sizes: Sizes,
  isOut: (element: HtmlElement) => boolean,
): Set<HtmlElement> {
  const found = new Set<HtmlElement>();
  const whole = sizes.of(body).text;
  eachElement(body, (box) => {
    if (isOut(box)) return false;
    const isConsent = hasConsentName(box);
    const surrounding = isConsent ? null : hasSurroundingName(box);
    if (!isConsent && surrounding === null) return true;
    const { text, linkText, hasHeading, hasContent, prose } = sizes.of(box);
    if (NEVER_SURROUNDING.test(box.name) || hasHeading || hasContent) return true;
    // A page about cookies is full of these words; a cookie notice is short.
    if (text > whole * (isConsent ? MAX_CONSENT_SHARE : MAX_SURROUNDING_SHARE)) return true;
    const isLong = text > LONG_MENU || prose > LONG_LINE;
    const isText = isLong && linkText < text * MIN_MENU_LINK_SHARE;
    if (surrounding === 'ambiguous' && isText) return true;
    found.add(box);
    return false;
  });
  return found;
}

function markedContent(
  body: HtmlNode,
  sizes: Sizes,
  isOut: (element: HtmlElement) => boolean,
): HtmlElement | null {
  const main = onlyOne(body, 'main', isOut);
  const { text, linkText } = sizes.of(body);
  if (main) {
    const own = sizes.of(main).text;
    const isEmpty = own < EMPTY_MAIN && text - linkText > FULL_PAGE;
    if (!isEmpty) return main;
  }
  return onlyOne(body, 'article', isOut);
}

/** The only element of this name or role that has text; nested ones are not counted. */
function onlyOne(
  body: HtmlNode,
  name: 'main' | 'article',
  isOut: (element: HtmlElement) => boolean,
): HtmlElement | null {
  const found: HtmlElement[] = [];
  eachElement(body, (element) => {
    if (isOut(element)) return false;
    const isMeant = element.name === name || element.attribs['role'] === name;
    if (isMeant) found.push(element);
    return !isMeant;
  });
  const [first] = found;
  return first && found.length === 1 && rawText(first, isOut).trim() !== '' ? first : null;
}

/** For a page without semantic markup: its header, except headings, and boxes of links beside the text. */
function unmarkedSurroundings(
  body: HtmlNode,
  isOut: (element: HtmlElement) => boolean,
): Set<HtmlElement> {
  const frames = new Set<HtmlElement>();
  const before = measurePage(body, isOut);
  eachElement(body, (element) => {
    if (isOut(element) || element.name === 'article') return false;
    if (element.name !== 'header' && element.name !== 'aside') return true;
    if (!before.of(element).hasHeading) frames.add(element);
    return !frames.has(element);
  });
  const isFrame = (element: HtmlElement): boolean => frames.has(element) || isOut(element);
  const sizes = measurePage(body, isFrame);
  const lists = linkBoxes(body, sizes, isFrame);
  const whole = sizes.of(body).text;
  const left = [...lists].reduce((sum, box) => sum - sizes.of(box).text, whole);
  // A page of nothing but links, such as an index, keeps them.
  return left < whole * MIN_SHARE_LEFT ? frames : new Set([...frames, ...lists]);
}

/** Beside the text, or before its first heading or line. A list of links in the middle of the text belongs to it. */
function linkBoxes(
  body: HtmlNode,
  sizes: Sizes,
  isOut: (element: HtmlElement) => boolean,
): Set<HtmlElement> {
  const core = findCore(body, sizes);
  const around = boxesAround(core);
  const whole = sizes.of(body).text;
  const found = new Set<HtmlElement>();
  const most = sizes.of(core).text * MAX_LISTS_PER_TEXT;
  const judge = (box: HtmlElement): boolean => {
    if (!LINK_BOXES.has(box.name)) return true;
    const { text, linkText, links, hasHeading } = sizes.of(box);
    const isLinks = links >= MIN_LINKS && linkText > text * LINK_SHARE;
    if (isLinks && text > most) return false;
    if (!isLinks || hasHeading || text > whole * MAX_SURROUNDING_SHARE) return true;
    found.add(box);
    return false;
  };
  eachElement(body, (box) => {
    if (isOut(box) || box === core) return false;
    return around.has(box) || judge(box);
  });
  let isBefore = true;
  eachElement(core, (box) => {
    if (isOut(box)) return false;
    const isText =
      HEADING.test(box.name) || (box.name === 'p' && sizes.of(box).prose > LEAST_PROSE);
    if (isText) isBefore = false;
    return isBefore && judge(box);
  });
  return found;
}

function boxesAround(core: HtmlNode): Set<HtmlNode> {
  const boxes = new Set<HtmlNode>();
  for (let box = core.parent; box; box = box.parent) boxes.add(box);
  return boxes;
}

function firstOf(root: HtmlNode, name: string): HtmlElement | null {
  let found: HtmlElement | null = null;
  eachElement(root, (element) => {
    if (found === null && element.name === name) found = element;
    return found === null;
  });
  return found;
}

/** In page order. `visit` returns whether to visit the elements inside, too. */
function eachElement(from: HtmlNode, visit: (element: HtmlElement) => boolean): void {
  const open: HtmlNode[] = childrenOf(from).toReversed();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!isElement(node) || !visit(node)) continue;
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      const child = node.children[index];
      if (child && child.type !== 'text') open.push(child);
    }
  }
}
