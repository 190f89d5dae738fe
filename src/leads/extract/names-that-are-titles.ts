import { type HtmlNode, isElement } from '#src/files/html-tree.ts';
import type { FoundName } from './find-names.ts';
import { nameMatchesAddress } from './name-matches-address.ts';
import { emailsOfLine } from './line-emails.ts';
import { INLINE, type PageLine } from './page-lines.ts';
import { isMarkedAsTitle } from './title-markup.ts';

/** Maximum distance, in lines, from a name to the same person's address. */
const MAX_LINES = 6;

/**
 * Drops titles that look like names ("Hive Whisperer"): a line right below a name, if the address that follows
 * matches the name above, or if all names in the same place are right below names.
 */
export function withoutTitles(
  found: readonly FoundName[],
  lines: readonly PageLine[],
): FoundName[] {
  const kept: FoundName[] = [];
  const pairs = pairsOfPlaces(found);
  for (const [at, name] of found.entries()) {
    const above = kept.at(-1);
    const isBelow = above !== undefined && isPlain(name) && above.line === name.line - 1;
    if (isBelow && !hasTitle(above)) {
      const pair = pairs.get(name.place);
      const isKind = pair !== undefined && pair.places.size === 1 && pair.count >= 2;
      const line = lines[name.line];
      const isMarked = line !== undefined && isMarkedAsTitle(line);
      const isSure = isMarked || (isKind && above.place !== name.place);
      if (isSure || emailMatchesNameAbove(above, name, lines, found[at + 1])) {
        kept[kept.length - 1] = { ...above, phrase: name.name };
        continue;
      }
    }
    kept.push(name);
  }
  return kept;
}

interface Pairs {
  /** Of the names directly above; contains null if one has none. */
  places: Set<string | null>;
  count: number;
}

function pairsOfPlaces(found: readonly FoundName[]): Map<string, Pairs> {
  const pairs = new Map<string, Pairs>();
  for (const [at, { place, line }] of found.entries()) {
    const above = found[at - 1];
    const pair = pairs.get(place) ?? { places: new Set(), count: 0 };
    pair.places.add(above !== undefined && above.line === line - 1 ? above.place : null);
    pair.count += 1;
    pairs.set(place, pair);
  }
  return pairs;
}

function isPlain({ title, phrase, isLabelled }: FoundName): boolean {
  return title === null && phrase === null && !isLabelled;
}

function hasTitle({ title, phrase }: FoundName): boolean {
  return title !== null || phrase !== null;
}

/** Whether the first matching address below both names matches the upper one. */
function emailMatchesNameAbove(
  above: FoundName,
  name: FoundName,
  lines: readonly PageLine[],
  next: FoundName | undefined,
): boolean {
  const end = Math.min(name.line + 1 + MAX_LINES, next?.line ?? lines.length);
  const [block, blockAbove] = [blockOf(name.node), blockOf(above.node)];
  const isHeaded = above.strength === 3 && name.strength < 3;
  const isTogether =
    block === blockAbove || (isHeaded && block !== null && block.parent === blockAbove?.parent);
  for (let at = name.line + 1; at < end; at += 1) {
    const line = lines[at];
    const emails = line ? emailsOfLine(line) : [];
    if (!line || emails.length === 0) continue;
    if (emails.some((email) => nameMatchesAddress(name.name, email))) return false;
    if (emails.some((email) => nameMatchesAddress(above.name, email))) return true;
    // Two people in one paragraph would have one address each.
    const isNear = isHeaded || blockOf(line.node) === block;
    return isTogether && isNear && emails.length === 1;
  }
  return false;
}

function blockOf(node: HtmlNode): HtmlNode | null {
  let at = node.parent;
  while (at && isElement(at) && INLINE.has(at.name)) at = at.parent;
  return at;
}
