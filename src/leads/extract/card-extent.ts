import { type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';
import type { FoundName } from './find-names.ts';
import { INLINE, type PageLines } from './page-lines.ts';

/** The parts of a found name that locate its card. */
export type PlacedName = Pick<FoundName, 'key' | 'line' | 'node' | 'isLabelled'>;

/** The nodes and lines that belong to one name. */
export interface CardExtent<Name extends PlacedName = FoundName> {
  found: Name;
  nodes: HtmlNode[];
  from: number;
  /** The first line after it. */
  to: number;
  /** No other name is in a comparable place. */
  isAlone: boolean;
}

const MIXED = '';
const MAX_LINES_ALONE = 14;
const LONGEST_ALONE = 700;
const MAX_LINES_IN_TEXT = 4;
const MAX_SIBLINGS = 12;
const MAX_SIBLINGS_ALONE = 4;
/** Includes line breaks and white space between elements. */
const MAX_NODES = 60;
const BOUNDS = new Set(['body', 'html', 'main', 'footer', 'header', 'table', 'tbody']);
/** A table about one person has a row for each fact. */
const BOUNDS_ALONE = new Set(['body', 'html', 'main', 'footer', 'header']);
const CARDS = new Set(['article', 'li', 'section', 'td']);
const ENDS = new Set([
  'hr',
  'section',
  'footer',
  'nav',
  'form',
  'header',
  'aside',
  'article',
  'table',
]);

/**
 * The part of the page that belongs to each of the names in comparable places: the largest element without another of
 * these names; or, when names and details are siblings, the siblings up to the next name.
 * @param others all names of the page
 */
export function cardExtents<Name extends PlacedName>(
  names: readonly Name[],
  page: PageLines,
  others: readonly PlacedName[],
): CardExtent<Name>[] {
  const isRepeated = new Set(names.map(({ key }) => key)).size > 1;
  // A lone name ends where any other name begins.
  const owners = nameOwners(isRepeated ? names : [...names, ...others]);
  const boxes = names.map((found) => {
    const isInRow = isRepeated || page.lines[found.line]?.column === 'name';
    return { found, ...boxOf(found, owners, page, isInRow ? BOUNDS : BOUNDS_ALONE) };
  });
  // Names that share a line have no box.
  const boxed = boxes.filter((box) => box.chain.length > 0);
  const height = commonest(boxed.map((box) => box.chain.filter(isBlock).length));
  const longestLast = lastRun(boxes, page);
  return boxes.map(({ found, chain }, index) => {
    // If one card has more wrappers than the others, the extra wrappers do not belong to it.
    const lowered = isRepeated ? upToBlocks(chain, height) : chain;
    const box = lowered.at(-1);
    const isAlone = !isRepeated;
    // Several names in one text: its details belong to all of them.
    if (!box) {
      const next = names.slice(index + 1).find(({ line }) => line !== found.line);
      return { ...linesFrom(found, next, page), isAlone };
    }
    const [from, to] = page.spans.get(box) ?? [found.line, found.line + 1];
    if (found.isLabelled) {
      return { found, nodes: [], from: found.line, to: found.line + 1, isAlone };
    }
    if (to - from > 1) return { found, nodes: [box], from, to, isAlone };
    const longest = index === names.length - 1 || !isRepeated ? longestLast : MAX_SIBLINGS;
    return { ...runFrom(found, box, { owners, page, longest }), isAlone };
  });
}

/** Links and emphasis are around some names only, and no wrappers. */
function isBlock(node: HtmlNode): boolean {
  return isElement(node) && !INLINE.has(node.name);
}

/** The nodes up to a number of blocks. */
function upToBlocks(chain: readonly HtmlNode[], most: number): HtmlNode[] {
  let blocks = 0;
  return chain.filter((node) => {
    if (isBlock(node)) blocks += 1;
    return blocks <= most;
  });
}

function linesFrom<Name extends PlacedName>(
  found: Name,
  next: Name | undefined,
  { lines }: PageLines,
): Omit<CardExtent<Name>, 'isAlone'> {
  const end = Math.min(found.line + MAX_LINES_IN_TEXT, next?.line ?? lines.length, lines.length);
  return { found, nodes: [], from: found.line, to: Math.max(found.line + 1, end) };
}

/** The name in an element: its key, or `MIXED` for several. */
function nameOwners(names: readonly PlacedName[]): Map<HtmlNode, string> {
  const owners = new Map<HtmlNode, string>();
  for (const { node, key } of names) {
    for (let at: HtmlNode | null = node; at; at = at.parent) {
      const owner = owners.get(at);
      if (owner === key || owner === MIXED) break;
      owners.set(at, owner === undefined ? key : MIXED);
    }
  }
  return owners;
}

/** The elements around a name without another name, innermost first. */
function boxOf(
  { node, key }: PlacedName,
  owners: ReadonlyMap<HtmlNode, string>,
  { lines, spans }: PageLines,
  bounds: ReadonlySet<string>,
): { chain: HtmlNode[] } {
  const chain: HtmlNode[] = [];
  for (let at: HtmlNode | null = node; at && owners.get(at) === key; at = at.parent) {
    if (isElement(at) && bounds.has(at.name) && !isPartOfCard(at)) break;
    if (at.type === 'root') break;
    const span = spans.get(at);
    // The line reader stopped before this element, so its length is unknown.
    if (!span) break;
    const [from, to] = span;
    if (to - from > MAX_LINES_ALONE * 2) break;
    const length = lines.slice(from, to).reduce((sum, one) => sum + one.text.length, 0);
    if (chain.length > 0 && to - from > MAX_LINES_ALONE && length > LONGEST_ALONE) break;
    chain.push(at);
  }
  return { chain };
}

/** The header or footer of a card, unlike those of the page. */
function isPartOfCard({ name, parent }: HtmlElement): boolean {
  if (name !== 'header' && name !== 'footer') return false;
  return parent !== null && isElement(parent) && CARDS.has(parent.name);
}

/** The box of a name and its siblings, up to the next name or the next section of the page. */
function runFrom<Name extends PlacedName>(
  found: Name,
  box: HtmlNode,
  {
    owners,
    page,
    longest,
  }: { owners: ReadonlyMap<HtmlNode, string>; page: PageLines; longest: number },
): Omit<CardExtent<Name>, 'isAlone'> {
  const nodes: HtmlNode[] = [box];
  const rank = headingRank(box);
  let taken = 0;
  for (let next = box.next; next && nodes.length < MAX_NODES; next = next.next) {
    if (owners.has(next) || taken >= longest) break;
    if (isElement(next)) {
      if (ENDS.has(next.name) || (headingRank(next) < 7 && headingRank(next) <= rank)) break;
    }
    if (isSeen(next, page)) taken += 1;
    nodes.push(next);
  }
  const last = nodes.findLast((node) => page.spans.has(node)) ?? box;
  const to = page.spans.get(last)?.[1] ?? found.line + 1;
  return { found, nodes, from: found.line, to: Math.max(to, found.line + 1) };
}

/** The last run gets no more than the runs before it, because the page continues after it. */
function lastRun(
  boxes: readonly { found: PlacedName; chain: HtmlNode[] }[],
  page: PageLines,
): number {
  const starts = boxes.map(({ chain, found }) => chain.at(-1) ?? found.node);
  let longest = 0;
  for (const [index, box] of starts.slice(0, -1).entries()) {
    let between = 0;
    let at = box.next;
    for (let steps = 0; at && at !== starts[index + 1] && steps < MAX_NODES; steps += 1) {
      if (isSeen(at, page)) between += 1;
      at = at.next;
    }
    if (at && at === starts[index + 1]) longest = Math.max(longest, between);
  }
  return boxes.length > 1 && longest > 0 ? longest : MAX_SIBLINGS_ALONE;
}

/** An element, or text between elements. */
function isSeen(node: HtmlNode, { spans }: PageLines): boolean {
  if (isElement(node)) return node.name !== 'br';
  if (node.type !== 'text') return false;
  const [from, to] = spans.get(node) ?? [0, 0];
  return to > from;
}

/** 1 to 6 for headings, 7 for everything else. */
function headingRank(node: HtmlNode): number {
  const match = isElement(node) ? /^h([1-6])$/.exec(node.name) : null;
  return match ? Number(match[1]) : 7;
}

function commonest(counts: readonly number[]): number {
  const groups = [...Map.groupBy(counts, (count) => count).entries()];
  return groups.toSorted((a, b) => b[1].length - a[1].length || a[0] - b[0])[0]?.[0] ?? 1;
}
