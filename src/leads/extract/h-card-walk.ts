import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  type HtmlRoot,
  isElement,
} from '#src/files/html-tree.ts';
import { absolute, type ValueReader } from './element-value.ts';
import { ADDRESS_PROPERTIES, classesOf, propertiesOf, valueOfProperty } from './h-card-values.ts';

/** A card as found in the page. */
export interface RawCard {
  element: HtmlElement;
  isClassic: boolean;
  values: Map<string, string[]>;
  /** The targets of the `rel=me` links in it. */
  me: string[];
  /** The enclosing card. */
  outer: RawCard | null;
  /** It is the organisation of the outer card. */
  isOrganizationOfOuter: boolean;
  /** Its text is more than its name. */
  hasNested: boolean;
}

const MAX_CARDS = 1_000;
const MAX_VALUES = 40;
const MAX_REL_ME = 40;
/** Other microformats2 objects. CSS frameworks also have class names such as `h-full`. */
const OTHER_ROOTS = new Set(
  'h-app h-cite h-entry h-event h-feed h-geo h-item h-listing h-product h-recipe h-resume h-review h-review-aggregate'.split(
    ' ',
  ),
);
/** Content that visitors have posted. */
const VISITORS = new Set(
  (
    'h-cite u-comment p-comment u-like p-like u-repost u-mention comment comment-author comment-body comment-meta commentlist ' +
    'comment-list comments-area reviewer p-reviewer'
  ).split(' '),
);

interface Place {
  card: RawCard | null;
  isInReview: boolean;
  isInAddress: boolean;
}

/** All cards of a page, and the targets of the `rel=me` links outside them. */
export function findCards(root: HtmlRoot, reader: ValueReader): { cards: RawCard[]; me: string[] } {
  const cards: RawCard[] = [];
  const me: string[] = [];
  const outside: Place = { card: null, isInReview: false, isInAddress: false };
  const open: { node: HtmlNode; place: Place }[] = [{ node: root, place: outside }];
  for (let step = open.pop(); step && cards.length < MAX_CARDS; step = open.pop()) {
    const { node } = step;
    let { place } = step;
    if (isElement(node)) {
      const entered = enter(node, place, cards, reader);
      if (!entered) continue;
      place = entered;
      noteRelMe(node, place.card?.me ?? me, reader);
    }
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child && child.type !== 'text') open.push({ node: child, place });
    }
  }
  return { cards, me };
}

function noteRelMe({ attribs }: HtmlElement, me: string[], { base }: ValueReader): void {
  const { rel, href } = attribs;
  if (rel === undefined || href === undefined || me.length >= MAX_REL_ME) return;
  if (/(?:^|\s)me(?:\s|$)/i.test(rel.slice(0, 500))) me.push(absolute(href, base));
}

/** Null for parts of the page that do not belong to anyone of the site. */
function enter(
  element: HtmlElement,
  place: Place,
  cards: RawCard[],
  reader: ValueReader,
): Place | null {
  const classes = classesOf(element);
  if (classes.length === 0) return place;
  if (classes.some((name) => VISITORS.has(name)) && element.name !== 'body') return null;
  const isCard = classes.includes('h-card') || classes.includes('vcard');
  if (isCard) return beginCard(element, classes, place, cards, reader);
  const isReview = classes.includes('h-review') || classes.includes('hreview');
  if (classes.some((name) => OTHER_ROOTS.has(name))) {
    if (place.card) place.card.hasNested = true;
    return { card: null, isInReview: place.isInReview || isReview, isInAddress: false };
  }
  const isInAddress = place.isInAddress || classes.includes('h-adr');
  if (place.card) noteValues(element, classes, place.card, isInAddress, reader);
  if (isInAddress === place.isInAddress && !isReview) return place;
  return { ...place, isInReview: place.isInReview || isReview, isInAddress };
}

function beginCard(
  element: HtmlElement,
  classes: readonly string[],
  place: Place,
  cards: RawCard[],
  reader: ValueReader,
): Place | null {
  if (place.isInReview && !classes.includes('item') && !classes.includes('p-item')) return null;
  const isClassic = !classes.includes('h-card');
  const outer = place.card;
  const outerProperties = outer ? propertiesOf(classes, outer.isClassic) : [];
  const card: RawCard = {
    element,
    isClassic,
    values: new Map(),
    me: [],
    outer,
    isOrganizationOfOuter: outerProperties.includes('org'),
    hasNested: false,
  };
  if (outer) outer.hasNested = true;
  cards.push(card);
  // `<a class="vcard fn" …>` is both a card and its own name.
  if (!outer) noteValues(element, classes, card, false, reader);
  return { card, isInReview: false, isInAddress: false };
}

function noteValues(
  element: HtmlElement,
  classes: readonly string[],
  card: RawCard,
  isInAddress: boolean,
  reader: ValueReader,
): void {
  if (classes.includes('fax') || classes.includes('p-fax') || classes.includes('tel-fax')) return;
  for (const property of propertiesOf(classes, card.isClassic)) {
    if (isInAddress && property !== 'adr' && !ADDRESS_PROPERTIES.has(property)) continue;
    const values = card.values.get(property) ?? [];
    if (values.length >= MAX_VALUES) continue;
    const value = valueOfProperty(element, property, reader);
    if (value !== '') card.values.set(property, [...values, value]);
  }
}
