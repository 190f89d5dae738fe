import { isElement } from '#src/files/html-tree.ts';
import { isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import type { FoundName } from './find-names.ts';
import { isContactPersonLabel } from './line-label.ts';
import { localPartOf, nameMatchesAddress } from './name-matches-address.ts';
import { namesInText } from './names-in-text.ts';
import { namesDomain } from './own-domain.ts';
import { organizationKey } from './organization-key.ts';
import type { PageLine } from './page-lines.ts';
import { personNameKey, readPersonName } from './person-name.ts';
import { isRoleLine } from './role-words.ts';
import { columnNamed, headerOf } from './table-columns.ts';

const MAX_PERSONS = 5;
const MAX_LINES = 40;
const LONGEST_LINE = 300;
/** "Jane Doe (manager)", "Jane Doe, manager" */
const ROLE_BEHIND = /^(?:\s*\(|,\s+)([^(),;.\d@]{2,60})/u;
/** "Jane Doe (1831–1902)" lived then, or was in office. */
const YEARS_BEHIND = /^\s*\((?:[*†]\s*)?(?:1\d|20)\d\d\s*[–—-]\s*\d/u;
/** Forms of address and abbreviations between a role and a name: "jednatel př. Jan Novák". */
const ADDRESS_BEFORE =
  /(?:(?<=^|\s)(?:p\p{Ll}{0,2}|pan[ií]?|sr|sra|mr|mrs|ms|dr|herr|frau|mme|m|mlle|sig|dhr|mevr|hr|fru)\.?\s+)$/iu;
/** Fewer names in one place may be chance. */
const MIN_USUAL = 2;

/** People in the card of a listed organisation: those with a role, a label, or an address that contains their name. */
export function memberPersons(
  { from, to, found }: { from: number; to: number; found: { name: string } },
  organization: ContactCard,
  names: readonly FoundName[],
  lines: readonly PageLine[],
  usual: ReadonlySet<string> = new Set(),
): ContactCard[] {
  const own = names.filter(
    (name) =>
      name.line >= from &&
      name.line < to &&
      organizationKey(name.name) !== organizationKey(found.name),
  );
  const persons = own.slice(0, MAX_PERSONS).flatMap((name) => {
    const emails = organization.emails.filter(
      (email) =>
        !isRoleAddress(email) &&
        nameMatchesAddress(name.name, email) &&
        // "Village Hall, Milford" at milford@
        !(name.name.includes(',') && namesDomain(found.name, localPartOf(email))),
    );
    const header = headerAbove(name);
    const isContact = name.isNamed || (header !== null && isNameHeader(header));
    const title = name.title ?? [header, ...besides(name, lines)].find(isRole) ?? null;
    const isUsual = usual.has(name.place) && first(own, name.place) === name;
    if (title === null && emails.length === 0 && !isContact && !isUsual) return [];
    return [
      contactCard({
        technique: 'member-card',
        kind: 'person',
        entity: 'member',
        name: name.name,
        title,
        company: organization.name,
        emails,
      }),
    ];
  });
  const known = new Set(persons.map(({ name }) => personNameKey(name ?? '')));
  const stated = statedIn(lines.slice(from, to), organization)
    .filter(({ name }) => !known.has(personNameKey(name ?? '')))
    .slice(0, MAX_PERSONS - persons.length);
  return [...persons, ...stated];
}

/** People whom a line names with their role or a label: "chairman Jane Doe", "Contact: Jane Doe (manager)". */
function statedIn(lines: readonly PageLine[], organization: ContactCard): ContactCard[] {
  const cards = new Map<string, ContactCard>();
  for (const { text } of lines.slice(0, MAX_LINES)) {
    const short = text.slice(0, LONGEST_LINE);
    if (organizationKey(short) === organizationKey(organization.name ?? '')) continue;
    for (const { name, from, to } of namesInText(short)) {
      if (YEARS_BEHIND.test(short.slice(to))) continue;
      const before = roleBefore(short.slice(0, from));
      const behind = ROLE_BEHIND.exec(short.slice(to))?.[1]?.trim() ?? '';
      const isContact = isContactPersonLabel(before);
      const title = [before, behind].find((part) => part !== '' && isRole(part)) ?? null;
      const key = personNameKey(name);
      if ((title === null && !isContact) || cards.has(key)) continue;
      cards.set(
        key,
        contactCard({
          technique: 'member-card',
          kind: 'person',
          entity: 'member',
          name,
          title,
          company: organization.name,
        }),
      );
    }
  }
  return [...cards.values()];
}

/** The words before a name, since the last sign, without forms of address. */
function roleBefore(text: string): string {
  const [part = ''] = text
    .replace(ADDRESS_BEFORE, '')
    .split(/[.,;()|·•–]\s*/u)
    .slice(-1);
  return part.replace(/\s*[:：-]?\s*$/u, '').trim();
}

/** The places in which most of several cards have a person's name. */
export function usualPlaces(
  cards: readonly { from: number; to: number; found: { name: string } }[],
  names: readonly FoundName[],
): Set<string> {
  const counts = new Map<string, number>();
  for (const { from, to, found } of cards) {
    const own = names.filter(
      ({ line, name, isTentative }) =>
        line >= from &&
        line < to &&
        !isTentative &&
        organizationKey(name) !== organizationKey(found.name),
    );
    for (const place of new Set(own.map(({ place: one }) => one))) {
      counts.set(place, (counts.get(place) ?? 0) + 1);
    }
  }
  const isUsual = (count: number): boolean => count >= MIN_USUAL && count * 2 > cards.length;
  return new Set([...counts].filter(([, count]) => isUsual(count)).map(([place]) => place));
}

function first(names: readonly FoundName[], place: string): FoundName | undefined {
  return names.find(
    (name) => name.place === place && !name.isTentative && !name.name.includes(','),
  );
}

function isNameHeader(header: string): boolean {
  return isContactPersonLabel(header) || columnNamed(header) === 'name';
}

/** The lines around a name that is alone on its line. */
function besides({ line, isTentative }: FoundName, lines: readonly PageLine[]): string[] {
  if (isTentative) return [];
  const below = lines[line + 1]?.text ?? '';
  // A label there introduces what comes after it.
  return [below.endsWith(':') ? '' : below, lines[line - 1]?.text ?? ''];
}

function isRole(text: string | null): text is string {
  return text !== null && isRoleLine(text) && readPersonName(text) === null;
}

function headerAbove({ node }: FoundName): string | null {
  let at = node.parent;
  for (let up = 0; at && isElement(at) && up < 4; up += 1) {
    if (at.name === 'td') return headerOf(at);
    at = at.parent;
  }
  return null;
}
