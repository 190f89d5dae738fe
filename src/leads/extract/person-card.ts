import { type HtmlNode, isElement } from '#src/files/html-tree.ts';
import { isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import { canonicalProfile } from './canonical-profile.ts';
import { contactsIn } from './card-contacts.ts';
import type { CardExtent } from './card-extent.ts';
import type { FoundName } from './find-names.ts';
import { nameMatchesAddress, nameMatchesHandle } from './name-matches-address.ts';
import { markedCompany } from './marked-company.ts';
import { emailsOfLine } from './line-emails.ts';
import { strengthOf } from './name-places.ts';
import { type PageLine, type PageLines, piecesOutsideLinks } from './page-lines.ts';
import type { PageSource } from './page-source.ts';
import { beforeContacts, phraseOfTitle, withoutEdges } from './role-text.ts';
import { isDepartmentLine, isRoleLine } from './role-words.ts';
import { rowOf } from './row-of.ts';
import { scanPhones } from './scan-phones.ts';
import { columnNamed } from './table-columns.ts';
import { isMarkedAsTitle } from './title-markup.ts';

/** The content of the card of one name. */
export interface PersonCard {
  found: FoundName;
  title: string | null;
  company: string | null;
  /** The title is on the line of the name or next to it. */
  isTitleNear: boolean;
  /** A line after the name that may be a role in unknown words. */
  unknownTitle: string | null;
  emails: string[];
  phones: string[];
  profiles: string[];
  /** An address or profile matches the person's name. */
  hasOwnContact: boolean;
  isAuthor: boolean;
}

/** In a card, the role is within this many lines: longer texts come after it. */
const MAX_LINES_TO_TITLE = 8;
/** A longer card of a lone name may include the organisation's own contacts. */
const MAX_LINES_ALONE = 8;
const MAX_LINES_MARKED = 14;
/** The length of a card with nothing but a name, its role and one address. */
const MAX_LINES_SHORT = 6;
/** After a role, the text about a person goes on. */
const SENTENCE_END = /(?<=\p{Ll}{3})\.\s+(?=\p{Lu})/u;
/** Class names of a box about a person. */
const PERSON_CLASS =
  /(?:^|[\s_-])(?:person|member|employee|staff|profile|people|mitarbeiter\w*|membre|miembro|persona|card|vcard|bio|author-card|contact-person)(?:$|[\s_-])/i;

export function readPersonCard(
  extent: CardExtent,
  source: PageSource,
  page: PageLines,
): PersonCard {
  const { found, nodes } = extent;
  const { name } = found;
  const marked = markedTitle(extent, page);
  const near = marked === null ? titleNear(extent, page) : null;
  const contacts = withoutThoseAbove(contactsIn(nodes, source, page.styles), extent, {
    page,
    region: source.region,
  });
  const isOwnEmail = (email: string): boolean => nameMatchesAddress(name, email);
  const isOwnProfile = (url: string): boolean =>
    nameMatchesHandle(name, decodeURIComponent(url.slice(url.lastIndexOf('/') + 1)));
  const isFar = extent.isAlone && extent.to - extent.from > MAX_LINES_ALONE;
  const personal = contacts.emails.filter((email) => !isRoleAddress(email));
  const ownEmails = personal.filter(isOwnEmail);
  const isTitleNear = marked !== null || found.title !== null || near?.distance === 1;
  const isShort =
    (isTitleNear || found.isNamed) &&
    contacts.emails.length === 1 &&
    extent.to - found.line <= MAX_LINES_SHORT;
  const isOwnBox = !extent.isAlone || (personal.length === 1 && (isPersonBox(nodes) || isShort));
  const others = personal.length > 3 || isFar || !isOwnBox ? [] : personal;
  const title = marked ?? found.title ?? near?.title ?? null;
  // In a row of people with one address each, a role address belongs to the person whose role it stands with.
  const hasRole = title !== null && (isRoleLine(title) || isDepartmentLine(title));
  const isDesk = !extent.isAlone && hasRole && contacts.emails.length === 1;
  const desk = isDesk ? contacts.emails : [];
  const profiles = contacts.profiles.filter(
    (url) =>
      canonicalProfile(url)?.kind !== 'organization' &&
      (!extent.isAlone || isOwnProfile(url) || !isFar),
  );
  return {
    found,
    title,
    company: markedCompany(extent, page),
    isTitleNear,
    unknownTitle: unknownTitle(extent, page),
    emails: [ownEmails, others, desk].find((emails) => emails.length > 0) ?? [],
    phones: isFar || contacts.phones.length > 4 ? [] : contacts.phones,
    profiles,
    hasOwnContact:
      ownEmails.length > 0 || profiles.some(isOwnProfile) || (found.isNamed && others.length === 1),
    isAuthor: page.lines[found.line]?.isAuthor ?? false,
  };
}

/** Contacts between a heading and a lone name further down belong to what the heading names, not to the person. */
function withoutThoseAbove<Contacts extends { emails: string[]; phones: string[] }>(
  contacts: Contacts,
  { found, from, isAlone }: CardExtent,
  { page: { lines }, region }: { page: PageLines; region: string | null },
): Contacts {
  const numbersOf = ({ text }: PageLine): string[] =>
    scanPhones(text, region).map(({ phone }) => phone);
  const [heading, ...between] = lines.slice(from, found.line);
  if (!isAlone || !heading) return contacts;
  if (between.length === 0 || strengthOf(heading.elements[0] ?? null) < 3) {
    // Who has a number on the line of the name has none of the lines above.
    const own = new Set(lines.slice(found.line, found.line + 1).flatMap(numbersOf));
    if (own.size === 0) return contacts;
    const above = new Set([heading, ...between].flatMap(numbersOf)).difference(own);
    return { ...contacts, phones: contacts.phones.filter((phone) => !above.has(phone)) };
  }
  const emails = new Set(between.flatMap(emailsOfLine));
  const phones = new Set(between.flatMap(numbersOf));
  return {
    ...contacts,
    emails: contacts.emails.filter((email) => !emails.has(email)),
    phones: contacts.phones.filter((phone) => !phones.has(phone)),
  };
}

/** A single element whose class says that it holds a person. */
function isPersonBox([node, ...more]: readonly HtmlNode[]): boolean {
  if (!node || more.length > 0 || !isElement(node)) return false;
  return PERSON_CLASS.test((node.attribs['class'] ?? '').slice(0, 200));
}

/** The person's position according to a table header, a label or the markup. */
function markedTitle({ found, from, to }: CardExtent, { lines }: PageLines): string | null {
  for (let at = from; at < Math.min(to, from + MAX_LINES_MARKED); at += 1) {
    const line = lines[at];
    if (!line) break;
    if (line.column === 'title') return withoutEdges(line.text) || null;
    const label = /^([^:]{2,40}):\s*(.*)$/u.exec(line.text);
    const isLabel = columnNamed(label?.[1] ?? line.text) === 'title';
    // Either the label or the text that it introduces is on a separate line.
    const written = isLabel ? label?.[2] || lines[at + 1]?.text : null;
    const isInCard = label?.[2] !== '' || at + 1 < to;
    const title = written && isInCard ? phraseOfTitle(written) : null;
    if (title !== null) return title;
    if (at !== found.line && isMarkedAsTitle(line)) {
      const phrase = phraseOfTitle(line.text);
      if (phrase !== null) return phrase;
    }
  }
  return null;
}

/** The role line nearest to the name; lines after the name come first. */
function titleNear(
  { found, from, to }: CardExtent,
  { lines }: PageLines,
): { title: string; distance: number } | null {
  const ways = [
    { step: 1, end: Math.min(to, found.line + 1 + MAX_LINES_TO_TITLE) },
    { step: -1, end: Math.max(from, found.line - 3) },
  ];
  for (const { step, end } of ways) {
    for (let at = found.line + step; step > 0 ? at < end : at >= end; at += step) {
      const line = lines[at];
      const title = line && titleIn(line);
      if (title) return { title, distance: Math.abs(at - found.line) };
    }
  }
  return null;
}

function titleIn(line: PageLine): string | null {
  const outside = piecesOutsideLinks(line);
  const pieces = outside.length === 0 ? line.pieces : outside;
  const text = outside.length === 0 ? line.text : outside.join(' ');
  const labelled = /^[^:]{2,25}:\s*(.+)$/u.exec(text)?.[1] ?? '';
  const [sentence = ''] = text.split(SENTENCE_END, 1);
  const parts = [labelled, text, ...text.split(/\s*[|·•]\s*/u), ...pieces, sentence];
  for (const written of parts) {
    const part = withoutEdges(beforeContacts(written));
    if (part !== '' && (isRoleLine(part) || isDepartmentLine(part))) return part;
  }
  return null;
}

function unknownTitle({ found, to }: CardExtent, { lines }: PageLines): string | null {
  if (found.phrase !== null) return found.phrase;
  return titleBehind(found.line, to, lines) ?? titleOfRow(found.line, lines);
}

function titleBehind(at: number, to: number, lines: readonly PageLine[]): string | null {
  const line = lines[at + 1];
  if (!line || at + 1 >= to) return null;
  const outside = piecesOutsideLinks(line);
  return phraseOfTitle(outside.join(' ')) ?? phraseOfTitle(outside[0] ?? '');
}

/** The first cell of a row that has the name in its second. */
function titleOfRow(at: number, lines: readonly PageLine[]): string | null {
  const row = rowOf(lines[at]);
  const isSecond = rowOf(lines[at - 1]) === row && rowOf(lines[at - 2]) !== row;
  return row !== null && isSecond ? phraseOfTitle(lines[at - 1]?.text ?? '') : null;
}
