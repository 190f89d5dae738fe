import { type HtmlNode, isElement } from '#src/files/html-tree.ts';
import type { PageLine } from './page-lines.ts';

const MAX_LEVELS_IN_ROW = 5;

/** The row of a table that a line is in; null elsewhere. */
export function rowOf(line: PageLine | undefined): HtmlNode | null {
  return around(line, (name) => name === 'tr');
}

/** The cell of a table that a line is in; null elsewhere. */
export function cellOf(line: PageLine | undefined): HtmlNode | null {
  return around(line, (name) => name === 'td' || name === 'th');
}

function around(line: PageLine | undefined, isSought: (name: string) => boolean): HtmlNode | null {
  let at: HtmlNode | null = line?.node.parent ?? null;
  for (let up = 0; at && isElement(at) && up < MAX_LEVELS_IN_ROW; up += 1) {
    if (isSought(at.name)) return at;
    at = at.parent;
  }
  return null;
}
