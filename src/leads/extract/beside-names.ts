import type { ContactCard } from './contact-card.ts';
import { emailsOfLine } from './line-emails.ts';
import { namesInText } from './names-in-text.ts';
import type { PageLine } from './page-lines.ts';
import { personNameKey } from './person-name.ts';
import { type FoundPhone, scanPhones } from './scan-phones.ts';

const LONGEST_LINE = 400;
const LONGEST_LABEL = 40;
const MAX_NAMES = 300;
/** Lines with contacts, of those that are read at all. */
const MAX_LINES = 1_000;
const NUMBER = /\d[\d ()./-]{3,}\d/;

/**
 * Takes contacts from people's cards that only stand on lines with the name of another person of the page: "His
 * assistant is Jane Doe: 020 7946 0958" in the card of John Smith.
 */
export function withoutContactsBesideOthers(
  cards: readonly ContactCard[],
  lines: readonly PageLine[],
  region: string | null,
): ContactCard[] {
  const names = namesOn(cards);
  if (names.size === 0) return [...cards];
  const held = new Set(
    cards.filter(isShown).flatMap(({ emails, phones }) => [...emails, ...phones]),
  );
  const owners = ownersByContact(lines, names, { held, region });
  if (owners.size === 0) return [...cards];
  return cards.map((card) => {
    if (!isShown(card)) return card;
    const key = personNameKey(card.name ?? '');
    const mayBeOwn = (value: string): boolean => owners.get(value)?.has(key) ?? true;
    return {
      ...card,
      emails: card.emails.filter(mayBeOwn),
      phones: card.phones.filter(mayBeOwn),
    };
  });
}

interface Placed {
  value: string;
  /** Offset in the line. */
  from: number;
}

/** The contacts of a line in its order. */
function contactsIn(
  text: string,
  emails: readonly string[],
  phones: readonly FoundPhone[],
): Placed[] {
  const lower = text.toLowerCase();
  return [
    ...emails.map((value) => ({ value, from: placeOf(lower, value) })),
    ...phones.map(({ phone, at }) => ({ value: phone, from: at })),
  ].toSorted((a, b) => a.from - b.from);
}

/** An address that a line only links to stands at its end. */
function placeOf(text: string, value: string): number {
  const at = text.indexOf(value);
  return at === -1 ? text.length : at;
}

/** The keys of the people in a line: of the page, and of names behind a label ("Inspector: Elena Ruiz"). */
function namesIn(text: string, names: ReadonlyMap<string, string>): Placed[] {
  const known = [...names].flatMap(([value, name]) => {
    const from = text.indexOf(name);
    return from === -1 ? [] : [{ value, from }];
  });
  const colon = text.indexOf(': ');
  if (colon < 1 || colon > LONGEST_LABEL) return known;
  const labelled = namesInText(text)
    .filter(({ from }) => from > colon)
    .map(({ name, from }) => ({ value: personNameKey(name), from }));
  return [...known, ...labelled];
}

/** Those named since the contact before; else those of that contact; else everybody in the line. */
function ownersOf(named: readonly Placed[], before: readonly Placed[], from: number): string[] {
  const ends = [...before.map((one) => one.from).toReversed(), -1];
  for (const end of ends) {
    const own = named.filter((name) => name.from > end && name.from < from);
    if (own.length > 0) return own.map(({ value }) => value);
  }
  return named.map(({ value }) => value);
}

function isShown({ kind, technique, name }: ContactCard): boolean {
  return kind === 'person' && technique === 'team-card' && name !== null;
}

/** The names of the page's people by their keys. */
function namesOn(cards: readonly ContactCard[]): Map<string, string> {
  const people = cards.filter(({ kind, name }) => kind === 'person' && name !== null);
  return new Map(
    people.slice(0, MAX_NAMES).map(({ name }) => [personNameKey(name ?? ''), name ?? '']),
  );
}

/** For contacts that always stand on a line with names: the keys of these. */
function ownersByContact(
  lines: readonly PageLine[],
  names: ReadonlyMap<string, string>,
  { held, region }: { held: ReadonlySet<string>; region: string | null },
): Map<string, ReadonlySet<string>> {
  const owners = new Map<string, ReadonlySet<string>>();
  const loose = new Set<string>();
  let left = MAX_LINES;
  for (const line of lines) {
    const text = line.text.slice(0, LONGEST_LINE);
    const emails = emailsOfLine(line);
    const hasNumber = NUMBER.test(text);
    if (emails.length === 0 && !hasNumber) continue;
    left -= 1;
    if (left < 0) return new Map();
    const contacts = contactsIn(text, emails, hasNumber ? scanPhones(text, region) : []);
    if (!contacts.some(({ value }) => held.has(value))) continue;
    const named = namesIn(text, names);
    for (const [at, { value, from }] of contacts.entries()) {
      if (!held.has(value)) continue;
      const own = ownersOf(named, contacts.slice(0, at), from);
      if (own.length === 0) loose.add(value);
      else owners.set(value, new Set([...(owners.get(value) ?? []), ...own]));
    }
  }
  for (const value of loose) owners.delete(value);
  return owners;
}
