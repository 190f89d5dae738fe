import { type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';
import type { PlacedName } from './card-extent.ts';
import { isAboutOthers, isBelowOthersHeading } from './foreign-contacts.ts';
import { blockAround, Places, strengthOf } from './name-places.ts';
import { NO_NAME_WORDS } from './name-words.ts';
import { organizationKey } from './organization-key.ts';
import { linkAround, type PageLine, type PageLines } from './page-lines.ts';
import { labelBefore } from './phone-labels.ts';
import { plainLetters } from './role-lexicon.ts';
import { columnNamed, columnsAround } from './table-columns.ts';

/** A line that may be an organisation's name. */
export interface OrganizationLine extends PlacedName {
  name: string;
  /** See `strengthOf`. */
  strength: 1 | 2 | 3;
  /** Equal for names in the same place of a repeated structure. */
  place: string;
}

const MAX_NAMES = 5_000;
const SHORTEST_NAME = 2;
const LONGEST_NAME = 90;
const MAX_WORDS = 10;
const MAX_LEVELS = 6;
const MAX_LEVELS_OF_FOOTER = 12;
const NOTE_CLASS = /(?:^|[\s_-])(?:badge|pill|chip|tag|label|muted)(?:$|[\s_-])/i;
const LEGAL_FORM =
  /^(?:inc|ltd|limited|llc|llp|plc|co|corp|gmbh|mbh|ag|kg|ohg|gbr|e\.? ?v|s\.? ?a|s\.? ?l|s\.? ?r\.? ?l|s\.? ?p\.? ?a|s\.? ?n\.? ?c|sarl|sas|lda|ltda|b\.? ?v|n\.? ?v|ab|as|aps|oy|sp\. z o\. ?o|s\. ?r\. ?o|kft|a\.? ?ş|d\.? ?o\.? ?o)\b/iu;
/** A part of an association, which belongs to its name. */
const SECTION =
  /^(?:zo|ov|kv|section|sektion|sezione|secci[oó]n|sec[cç][aã]o|seksjon|sekce|sekcja|chapter|branch|local group|ortsgruppe|ortsverein|ortsverband|kreisverband|bezirksverband|landesverband|delegaci[oó]n|delega[cç][aã]o|d[eé]l[eé]gation|comit[eé]|afdeling|avdeling|avdelning|lokalafdeling|lokallag|krets|oddzia[lł]|ko[lł]o|odbor|pobo[cč]ka|m[ií]stn[ií] organizace|osasto|paikallisyhdistys|helyi szervezet|filiala|[sş]ube(?:si)?)(?![\p{L}])/iu;
const NO_NAME =
  /@|https?:|www\.|[?!…=<>{}]|:$|^\W*\d[\d\s./:-]*$|\p{Ll}{3}\.$|\d{1,2}[.:]\d{2}|(?:€|\$|£) ?\d|\d ?(?:€|kr|zł)/u;
/** A name begins with a capital, behind a title such as "dr." */
const BEGINS_NAME =
  /^(?:[«„“"'(&]?[\p{Lu}\p{Lo}\p{N}]|(?:dr|ing|mgr|mag|prof|lic|arch|avv|dott|dipl)\.? \p{Lu})/u;
/** Separators between a name and the rest of its line. */
const BEHIND_NAME = /\s+[–—|•·]\s+|\s*[|•·]\s*|:\s|\s\(|\t/u;

/**
 * Finds lines that may be organisations' names: headings, emphasized beginnings of lines, first lines of blocks, and
 * table cells.
 */
export function organizationLines({ lines, spans }: PageLines): OrganizationLine[] {
  const found: OrganizationLine[] = [];
  const places = new Places();
  const namedRows = new Set<HtmlNode>();
  for (const [at, line] of lines.entries()) {
    if (found.length >= MAX_NAMES) break;
    if (line.isForeign || isContactLink(line) || isInFooter(line.node)) continue;
    if (isBelowOthersHeading(at, lines) || isAboutOthers(line.text)) continue;
    const element = line.elements[0] ?? null;
    const block = blockAround(element);
    const isFirst = block !== null && spans.get(block)?.[0] === at;
    const row = elementAround(element, 'tr');
    const strength = row ? strengthInRow(line, row, namedRows) : strengthOf(element);
    if (strength === null || (strength === 1 && !isFirst)) continue;
    const name = nameIn(line, strength);
    if (name === null) continue;
    if (row) namedRows.add(row);
    const place = `${strength} ${places.of(element)}`;
    // Two branches with the same name are two cards.
    const key = `${organizationKey(name)} ${at}`;
    found.push({ name, key, line: at, node: line.node, isLabelled: false, strength, place });
  }
  return found;
}

/** "Send us a mail", linked to an address. */
function isContactLink({ elements: [element] }: PageLine): boolean {
  const href = element ? (linkAround(element)?.attribs['href'] ?? '') : '';
  return /^\s*(?:mailto|tel|sms|callto):/i.test(href);
}

/** In the footer of the page, unlike that of a card. */
function isInFooter(node: HtmlNode): boolean {
  let at: HtmlNode | null = node.parent;
  for (let up = 0; at && isElement(at) && up < MAX_LEVELS_OF_FOOTER; up += 1) {
    if (at.name === 'footer') return at.parent === null || !isCard(at.parent);
    at = at.parent;
  }
  return false;
}

function isCard(node: HtmlNode): boolean {
  return isElement(node) && /^(?:article|li|section|td)$/.test(node.name);
}

/** In a table, the cell under a name header; without such a header, the first cell of a row that can be a name. */
function strengthInRow(
  { column, elements: [element] }: PageLine,
  row: HtmlNode,
  namedRows: ReadonlySet<HtmlNode>,
): 1 | 3 | null {
  if (column === 'company') return 3;
  const cell = elementAround(element ?? null, 'td') ?? elementAround(element ?? null, 'th');
  const columns = cell ? columnsAround(cell) : new Set();
  if (columns.has('company')) return null;
  if (column === 'name') return 3;
  if (column !== null || columns.has('name') || namedRows.has(row)) return null;
  return 1;
}

function elementAround(element: HtmlElement | null, name: string): HtmlElement | null {
  let at: HtmlNode | null = element;
  for (let up = 0; at && isElement(at) && up < MAX_LEVELS; up += 1) {
    if (at.name === name) return at;
    at = at.parent;
  }
  return null;
}

function nameIn({ text, pieces, elements }: PageLine, strength: 1 | 2 | 3): string | null {
  const isSetOff = strength === 2 && pieces.length > 1;
  const isHeading = /^h[1-6]$/.test(blockAround(elements[0] ?? null)?.name ?? '');
  if (isSetOff && !isHeading) return organizationName(pieces[0] ?? '');
  const isNote = elements.map(isNoteElement);
  const own = pieces.filter((_, piece) => isNote[piece] === false);
  return organizationName(own.length > 0 && own.length < pieces.length ? own.join(' ') : text);
}

/** A badge or small print behind a name, such as the place of a club. */
function isNoteElement(element: HtmlElement | null): boolean {
  if (element === null) return false;
  return (
    element.name === 'small' || NOTE_CLASS.test((element.attribs['class'] ?? '').slice(0, 200))
  );
}

/** "Mon–Sat 9–5" */
const HOURS =
  /^\p{L}{1,12}\.?(?: ?[-–—/+&] ?| (?:to|bis|au|al|a|till|til|do|tot) )\p{L}{1,12}\.?:? ?\d{1,2}(?:[.:h]\d{2})? ?(?:[ap]m ?)?[-–—]/iu;
/** "14 Market Street, LE19 9XY", "Hauptstraße 3 - 12345 Bonn": a number of a house and a postal code. */
const ADDRESS =
  /^(?=[^,]*\d)[^,]{2,60}(?:,[^,]{2,60}){0,2}(?:,| [-–—]) (?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|(?:[A-Z]{1,2}[ -])?\d{4,5}(?: [A-Z]{2})?(?: \p{Lu}.*)?|\d{2,3}[ -]\d{2,3} \p{Lu}.*)$/u;

/** The organisation's name at the start of a text; null if there is none. */
export function organizationName(written: string): string | null {
  if (HOURS.test(written) || ADDRESS.test(written)) return null;
  const [head = ''] = written.split(BEHIND_NAME, 1);
  const [first = '', second = ''] = head.split(/,\s*/u, 2);
  const isPart = LEGAL_FORM.test(second) || SECTION.test(second);
  const name = (isPart ? `${first}, ${second}` : first)
    .replace(/^[\s\p{P}]+(?<![«„“"'(&])|[\s,;–—-]+$/gu, '')
    .trim();
  if (name.length < SHORTEST_NAME || name.length > LONGEST_NAME || NO_NAME.test(name)) return null;
  if (!BEGINS_NAME.test(name) || !/\p{L}{2}|\p{Lo}/u.test(name)) return null;
  if (columnNamed(name) !== null || labelBefore(`${name} `) !== null) return null;
  const words = name.split(/\s+/u);
  if (words.length > MAX_WORDS) return null;
  const isOrdinary = (word: string): boolean =>
    NO_NAME_WORDS.has(plainLetters(word).replace(/[^\p{L}\p{N}]+/gu, ''));
  return words.every(isOrdinary) ? null : name;
}
