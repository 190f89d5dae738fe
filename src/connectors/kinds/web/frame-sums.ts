import { type HtmlNode, isElement } from '#src/files/html-tree.ts';
import { type UnitBox, wordsOf } from './page-units.ts';
import type { SiteFrame } from './site-frame.ts';

/** The content of a box and everything inside it. Lengths count letters and digits. */
export interface Sum {
  units: number;
  length: number;
  known: number;
  knownLength: number;
  knownLinks: number;
  links: number;
  common: number;
  /** The longest text in it that is neither known nor a link. */
  longest: number;
  /** Texts that end a sentence, and are neither known nor links. */
  sentences: number;
  headings: number;
  /** Those with words that only this page has, among them its title where nothing else tells it. */
  ownHeadings: number;
}

const NOTHING: Sum = {
  units: 0,
  length: 0,
  known: 0,
  knownLength: 0,
  knownLinks: 0,
  links: 0,
  common: 0,
  longest: 0,
  sentences: 0,
  headings: 0,
  ownHeadings: 0,
};

interface SummedPage {
  /** Identifies the page. */
  key: string;
  /** As the page names itself. */
  title: string;
}

/** What a page says of its own name. */
interface Titles {
  /** Texts that are its title, when they stand in one place only. */
  only: ReadonlySet<string>;
  /** Whether a box repeats the words of a first heading elsewhere: it tells nothing new. */
  isRepetition: (at: number) => boolean;
}

const HEADING = /^h[1-6]$/;
const MAX_TITLES = 20;
/** Boxes in a title. */
const MAX_INSIDE = 12;
/** What stands between the title of a page and the name of its site. */
const SEPARATOR = / [-–—|·•»/] |: /;

export function sumsOf(boxes: readonly UnitBox[], page: SummedPage, frame: SiteFrame): Sum[] {
  const titles = readTitles(boxes, page.title);
  const sums = boxes.map((box, at) => ownSum(box, titles.isRepetition(at), titles, page, frame));
  for (let at = boxes.length - 1; at > 0; at -= 1) {
    const box = boxes[at];
    const own = sums[at];
    const around = sums[box?.around ?? -1];
    if (!box || !own || !around) continue;
    if (isHeading(box.node) && own.units > 0 && !titles.isRepetition(at)) {
      own.headings = 1;
      own.ownHeadings = own.known < own.units ? 1 : 0;
    }
    addTo(around, own);
  }
  return sums;
}

function addTo(around: Sum, own: Sum): void {
  around.units += own.units;
  around.length += own.length;
  around.known += own.known;
  around.knownLength += own.knownLength;
  around.knownLinks += own.knownLinks;
  around.links += own.links;
  around.common += own.common;
  around.longest = Math.max(around.longest, own.longest);
  around.sentences += own.sentences;
  around.headings += own.headings;
  around.ownHeadings += own.ownHeadings;
}

function ownSum(
  { units }: UnitBox,
  isRepetition: boolean,
  { only }: Titles,
  { key }: SummedPage,
  frame: SiteFrame,
): Sum {
  const sum = { ...NOTHING };
  for (const unit of units) {
    const { isLink, length } = unit;
    sum.units += 1;
    sum.length += length;
    if (isLink) sum.links += 1;
    if (isRepetition || frame.isCommon(unit, key)) sum.common += 1;
    if (isRepetition || frame.isKnown(unit, key)) {
      sum.known += 1;
      sum.knownLength += length;
      if (isLink) sum.knownLinks += 1;
    } else if (!isLink) {
      sum.longest = Math.max(sum.longest, length);
      if (unit.endsSentence) sum.sentences += 1;
      if (only.has(unit.words)) sum.ownHeadings += 1;
    }
  }
  return sum;
}

function readTitles(boxes: readonly UnitBox[], title: string): Titles {
  const first = boxes.flatMap(({ node }, at) => (isFirstHeading(node) ? [at] : []));
  const headings = new Set(first.slice(0, MAX_TITLES).map((at) => textOf(boxes, at)));
  headings.delete('');
  const inFirst = new Set(first.flatMap((at) => placesIn(boxes, at)));
  const parts = [title, ...title.split(SEPARATOR)].slice(0, MAX_TITLES).map(wordsOf);
  const seen = new Map(parts.filter((part) => part !== '').map((part) => [part, 0]));
  for (const { units } of boxes) {
    for (const { words, isLink } of units) {
      const count = isLink ? undefined : seen.get(words);
      if (count !== undefined) seen.set(words, count + 1);
    }
  }
  return {
    only: new Set([...seen].flatMap(([part, count]) => (count === 1 ? [part] : []))),
    isRepetition: (at) => headings.size > 0 && !inFirst.has(at) && headings.has(textOf(boxes, at)),
  };
}

/** In words; empty for a box with more in it than a title has. */
function textOf(boxes: readonly UnitBox[], at: number): string {
  const inside = placesIn(boxes, at).flatMap((place) => boxes[place]?.units ?? []);
  return inside.map(({ words }) => words).join(' ');
}

/** The box itself and those inside it; none when they are more than a title has. */
function placesIn(boxes: readonly UnitBox[], at: number): number[] {
  const count = (boxes[at]?.end ?? at) - at;
  return count > MAX_INSIDE ? [] : Array.from({ length: count }, (_, step) => at + step);
}

function isHeading(node: HtmlNode): boolean {
  return isElement(node) && HEADING.test(node.name);
}

function isFirstHeading(node: HtmlNode): boolean {
  return isElement(node) && node.name === 'h1';
}
