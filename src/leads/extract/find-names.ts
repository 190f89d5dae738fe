import { type HtmlNode, isElement } from '#src/files/html-tree.ts';
import { isAboutOthers } from './foreign-contacts.ts';
import {
  BOUNDARY,
  linkAround,
  type PageLine,
  type PageLines,
  piecesOutsideLinks,
  withBoundaries,
} from './page-lines.ts';
import {
  isContactLine,
  roleOfLabel,
  roleOfLabelLine,
  unspacedNameWithRole,
} from './introduced-names.ts';
import { isContactPersonLabel, labelOfLine } from './line-label.ts';
import { wordBeforeName } from './name-evidence.ts';
import { Places, strengthOf } from './name-places.ts';
import { firmIn } from './names-in-text.ts';
import { personNameKey, readPersonName } from './person-name.ts';
import { beforeContacts, phraseOfTitle, withoutEdges } from './role-text.ts';
import { isRoleLine } from './role-words.ts';
import { rowOf } from './row-of.ts';
import { severalNames } from './several-names.ts';
import { columnNamed, headerOf } from './table-columns.ts';
import { withoutTitles } from './names-that-are-titles.ts';

/** A name in the lines of a page. */
export interface FoundName {
  name: string;
  key: string;
  /** The role on the same line. */
  title: string | null;
  /** A possible role, made of unknown words. */
  phrase: string | null;
  line: number;
  node: HtmlNode;
  /** 3 for headings and elements marked as names, 2 for emphasized text, 1 for plain text. */
  strength: 1 | 2 | 3;
  /** The role precedes the name, with a colon between: the text around the line does not belong to the person. */
  isLabelled: boolean;
  /** The line has unknown text, so this counts as a name only with further evidence. */
  isTentative: boolean;
  /** A label such as "Contact person:" marks it as a name. */
  isNamed: boolean;
  /** Equal for names in the same place of repeated structures. */
  place: string;
}

const LONGEST_LINE = 160;
const MAX_NAMES = 3_000;
const MAX_WORDS_OF_LABEL = 3;
const MAX_LEVELS_IN_CELL = 4;
/** Where women are "D.ª", "D." is no initial. */
const DON = /(?<=^|, )D\.\s/gu;
const SEPARATOR = /\s*[,|·•;(]\s*|\s+[–—-]\s+|\s*:\s+/u;
const CONTACT = /@|\d{4}|\bhttps?:|\d(?:[\s()./-]{0,2}\d){6}/i;

/**
 * Names that stand alone on a line, begin a line that continues with a role, or follow a role and a colon.
 * @param others lines that are known to be names of something else
 */
export function findNames(
  { lines }: PageLines,
  others: ReadonlySet<number> = new Set(),
): FoundName[] {
  const found: FoundName[] = [];
  const places = new Places();
  for (const [at, line] of lines.entries()) {
    if (found.length >= MAX_NAMES) break;
    if (line.isForeign || line.text.length > LONGEST_LINE || others.has(at)) continue;
    if (isAboutOthers(line.text)) continue;
    const names = namesIn(line).map(trimWordBefore);
    for (const { piece, isUnspaced: _, ...read } of introduced(names, lines, at)) {
      const element = line.elements[piece] ?? null;
      const strength = read.isLabelled ? 1 : line.column === 'name' ? 3 : strengthOf(element);
      const place = `${strength} ${places.of(element)}`;
      const key = personNameKey(read.name);
      found.push({ ...read, key, line: at, node: line.node, strength, place });
    }
  }
  return withoutTitles(found, lines);
}

/**
 * Names below a line with a role and a colon. The text below such a name shows whether all of it is about one person.
 */
function introduced(
  names: readonly NameInLine[],
  lines: readonly PageLine[],
  at: number,
): NameInLine[] {
  const line = lines[at];
  if (names.length === 0 || !line) return [];
  const isLast = !isContactLine(lines[at + 1]?.text);
  const label = line.column === null ? labelOfLine(line) : null;
  const above = lines[at - 1]?.text ?? '';
  const header = line.column === null ? headerAbove(line) : null;
  return names.map((name) => {
    const isBare = name.title === null && name.phrase === null;
    const title = isBare ? (roleOfLabelLine(above) ?? roleOfLabel(label ?? '')) : null;
    const shared = isBare ? roleOfRow(lines, at) : null;
    if (shared !== null) return { ...name, title: shared, isLabelled: true };
    const isInColumn = title === null && isBare && header !== null && isRoleLine(header);
    if (isInColumn) return { ...name, title: header };
    const isNamed = name.isNamed || isContactPersonLabel(label ?? above);
    const isIntroduced = title !== null || name.isUnspaced;
    if (!isIntroduced || !isLast) return { ...name, title: name.title ?? title, isNamed };
    return { ...name, title: name.title ?? title, isNamed, isLabelled: true };
  });
}

/** The role in the row of a table whose column of names has several names there. */
function roleOfRow(lines: readonly PageLine[], at: number): string | null {
  const row = rowOf(lines[at]);
  const isName = (line: PageLine | undefined): boolean =>
    line?.column === 'name' && rowOf(line) === row;
  if (row === null || !isName(lines[at])) return null;
  if (!isName(lines[at - 1]) && !isName(lines[at + 1])) return null;
  for (let before = at - 1; rowOf(lines[before]) === row; before -= 1) {
    const line = lines[before];
    if (line?.column === 'title') return phraseOfTitle(line.text);
  }
  return null;
}

/** The header above the cell of a line. */
function headerAbove({ node }: PageLine): string | null {
  let at = node.parent;
  for (let up = 0; at && isElement(at) && up < MAX_LEVELS_IN_CELL; up += 1) {
    if (at.name === 'td') return headerOf(at);
    at = at.parent;
  }
  return null;
}

interface NameInLine {
  name: string;
  title: string | null;
  phrase: string | null;
  piece: number;
  isLabelled: boolean;
  isTentative: boolean;
  isNamed: boolean;
  /** With its role, in a script without capitals. */
  isUnspaced: boolean;
}

const nothingElse = {
  title: null,
  phrase: null,
  piece: 0,
  isLabelled: false,
  isTentative: false,
  isNamed: false,
  isUnspaced: false,
};

function namesIn(line: PageLine): NameInLine[] {
  const { text, pieces, column } = line;
  if (column !== null && column !== 'name') return [];
  const whole = withBoundaries(line).includes(BOUNDARY) ? null : readPersonName(text);
  if (whole !== null) return [{ ...nothingElse, name: whole }];
  const several = severalNames(text);
  if (several.length > 0) return several.map((name) => ({ ...nothingElse, name }));
  const unspaced = unspacedNameWithRole(text);
  if (unspaced !== null) return [{ ...nothingElse, ...unspaced, isUnspaced: true }];
  const inPieces = pieces.length > 1 ? nameInPieces(line) : null;
  if (inPieces) return [inPieces];
  const outside = piecesOutsideLinks(line);
  return nameWithRole(outside.length === 0 ? text : outside.join(' '));
}

/** "Byggnadsinspektör Jane Doe": a word of unknown meaning before a given name is no part of the name. */
function trimWordBefore(read: NameInLine): NameInLine {
  const word = wordBeforeName(read.name);
  if (word === null) return read;
  const isTentative = read.isTentative || read.title === null;
  const name = read.name.slice(word.length + 1);
  return { ...read, name, phrase: read.phrase ?? phraseOfTitle(word), isTentative };
}

/** A piece that is a name, when the other pieces are roles, labels, contacts or links. */
function nameInPieces({ pieces, elements }: PageLine): NameInLine | null {
  for (const [piece, part] of pieces.entries()) {
    const name =
      readPersonName(part.replace(/[\s,:–—|-]+$/u, '')) ??
      (CONTACT.test(part) ? readPersonName(withoutEdges(beforeContacts(part))) : null);
    if (name === null) continue;
    const rest = pieces.map((other, at) => ({
      text: withoutEdges(beforeContacts(other)),
      phrase: at > piece ? phraseOfTitle(other) : phraseOfLabel(other),
      isLink: linkAround(elements[at] ?? null) !== null,
      at,
    }));
    const others = rest.filter(({ at, isLink }) => at !== piece && !isLink);
    if (!others.every(({ text, phrase }) => isAside(text) || phrase !== null)) continue;
    // "Poland: Acme Ltd., Jane Doe"
    if (others.some(({ text, at }) => at < piece && firmIn(text) !== null)) continue;
    const title = others.map(({ text }) => text).find(isRoleLine) ?? null;
    const phrase = others.find((other) => other.phrase !== null)?.phrase ?? null;
    const isTentative = title === null && !others.every(({ text }) => isAside(text));
    return { ...nothingElse, name, title, phrase, piece, isTentative };
  }
  return null;
}

/** "Workshop:" before a name, unless the label itself announces a name. */
function phraseOfLabel(text: string): string | null {
  const label = /^([^:]{2,40}):\s*$/u.exec(text)?.[1] ?? '';
  return label === '' || columnNamed(label) !== null ? null : phraseOfTitle(label);
}

/** "Jane Doe, Head of Sales", "Jane Doe – CEO | jane@…", and "Geschäftsführer: Hans Huber, Petra Klein". */
function nameWithRole(text: string): NameInLine[] {
  const label = /^([^:]{2,80}):\s+(.+)$/u.exec(text);
  if (label && readPersonName(label[1] ?? '') === null) return namesBehindLabel(label);
  const [first = '', ...rest] = text.split(SEPARATOR);
  const led = rest.length === 0 || CONTACT.test(rest[0] ?? '') ? roleThenName(first) : null;
  if (led) return [{ ...nothingElse, ...led }];
  const name = readPersonName(first);
  if (name === null) return nameBehindRole(first, rest);
  const after = withoutEdges(beforeContacts(text.slice(first.length)));
  const parts = rest.map(withoutEdges).filter((part) => part !== '');
  if (parts.length === 0) return [];
  const bare = parts.map((part) => withoutEdges(beforeContacts(part)));
  const title = isRoleLine(after) ? after : (bare.find(isRoleLine) ?? null);
  const isPlain = title !== null || parts.every((part) => CONTACT.test(part));
  const phrase = phraseOfTitle(after) ?? phraseOfTitle(parts[0] ?? '');
  if (!isPlain && phrase === null) return [];
  return [{ ...nothingElse, name, title, phrase, isTentative: !isPlain }];
}

/** "Building inspector Jane Doe", alone on a line or before a contact. */
function roleThenName(text: string): { name: string; title: string } | null {
  const words = text.split(' ');
  for (let at = 1; at <= MAX_WORDS_OF_LABEL && at < words.length - 1; at += 1) {
    const title = words.slice(0, at).join(' ');
    const name = isRoleLine(title) ? readPersonName(words.slice(at).join(' ')) : null;
    if (name !== null && readPersonName(text) === null) return { name, title };
  }
  return null;
}

/** "Director, Jane Doe" and "Director, Jane Doe, 020 …". */
function nameBehindRole(first: string, [second = '', ...rest]: readonly string[]): NameInLine[] {
  const name = isRoleLine(first) ? readPersonName(withoutEdges(beforeContacts(second))) : null;
  if (name === null || !rest.every((part) => CONTACT.test(part))) return [];
  return [{ ...nothingElse, name, title: first }];
}

function namesBehindLabel([, label = '', written = '']: RegExpExecArray): NameInLine[] {
  const list = withoutEdges(beforeContacts(written));
  if (columnNamed(label) === 'name') {
    const name = readPersonName(list);
    return name === null ? [] : [{ ...nothingElse, name, isNamed: true }];
  }
  const title = roleOfLabel(label);
  // "Contact: Jane Doe, Head of Sales"
  if (title === null) {
    const isShort = label.split(' ').length <= MAX_WORDS_OF_LABEL;
    return isShort ? nameWithRole(written).filter((one) => one.title !== null) : [];
  }
  const whole = readPersonName(list);
  const parts = (/(?<!\p{L})D\.?\s?ª/u.test(list) ? list.replace(DON, '') : list).split(
    /\s*[,;/&]\s*|\s+(?:und|and|et|y|e|en|i|og|och)\s+/u,
  );
  // "Jane Doe, PhD" is one name.
  const names = whole === null ? parts.map(readPersonName) : [whole];
  if (names.includes(null)) return [];
  // A line that also has contacts is entirely about one person.
  const isLabelled = names.length > 1 || beforeContacts(written) === written;
  return names
    .filter((name) => name !== null)
    .map((name) => ({ ...nothingElse, name, title, isLabelled }));
}

/** Whether the text beside a name on its line is something other than a sentence. */
function isAside(text: string): boolean {
  return text === '' || isRoleLine(text) || CONTACT.test(text) || text.length <= 25;
}
