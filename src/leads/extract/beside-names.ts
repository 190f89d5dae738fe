import type { ContactCard } from './contact-card.ts';
import { emailsOfLine } from './line-emails.ts';
import type { PageLine } from './page-lines.ts';
import { personNameKey } from './person-name.ts';
import { scanPhones } from './scan-phones.ts';

const LONGEST_LINE = 400;
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
  if (names.size < 2) return [...cards];
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
    const phones = hasNumber ? scanPhones(text, region).map(({ phone }) => phone) : [];
    const found = [...emails, ...phones].filter((value) => held.has(value));
    if (found.length === 0) continue;
    const named = [...names].filter(([, name]) => text.includes(name)).map(([key]) => key);
    for (const value of found) {
      if (named.length === 0) loose.add(value);
      else owners.set(value, new Set([...(owners.get(value) ?? []), ...named]));
    }
  }
  for (const value of loose) owners.delete(value);
  return owners;
}
