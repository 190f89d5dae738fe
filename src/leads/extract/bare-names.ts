import { kindOfName } from '#src/leads/lexicon/site-page-words.ts';
import { isContactLine } from './introduced-names.ts';
import { isContactPersonLabel } from './line-label.ts';
import { nameEvidence } from './name-evidence.ts';
import type { PageLine, PageLines } from './page-lines.ts';
import type { PersonCard } from './person-card.ts';
import { readPersonName } from './person-name.ts';
import { phraseOfTitle } from './role-text.ts';
import { isRoleLine } from './role-words.ts';
import { severalNames } from './several-names.ts';
import { isHeadingOfOthers } from './words-of-others.ts';

/**
 * A known given name that is alone on its line, below a heading for the team or, on a page named for it, below one that
 * announces nobody else.
 */
export function isBareName(
  { found, isAuthor }: PersonCard,
  { lines }: PageLines,
  isNamed: boolean,
): boolean {
  if (isAuthor || found.isTentative || nameEvidence(found.name) !== 'known') return false;
  const text = lines[found.line]?.text ?? '';
  if (readPersonName(text) !== found.name && !severalNames(text).includes(found.name)) return false;
  const heading = headingAbove(found.line, lines);
  if (heading === null) return isNamed;
  if (isHeadingOfOthers(heading)) return false;
  return isNamed || kindOfName(heading)?.kind === 'team' || isRoleLine(heading);
}

/** A heading such as "Secretariat" right above a name that is alone on its line, with a contact right below. */
export function headingOfOffice(
  { found: { name, line } }: PersonCard,
  { lines }: PageLines,
): string | null {
  const [above, at, below] = lines.slice(Math.max(0, line - 1), line + 2);
  const isAlone = at?.text === name && isContactLine(below?.text);
  const isHeaded = /^h[2-6]$/.test(above?.elements[0]?.name ?? '');
  const title = above?.text ?? '';
  return isAlone && isHeaded && !isContactPersonLabel(title) ? phraseOfTitle(title) : null;
}

/** The nearest heading above a line that is no name. */
function headingAbove(line: number, lines: readonly PageLine[]): string | null {
  for (let at = line - 1; at >= 0; at -= 1) {
    const { elements: [element] = [], text = '' } = lines[at] ?? {};
    if (/^h[1-6]$/.test(element?.name ?? '') && readPersonName(text) === null) return text;
  }
  return null;
}
