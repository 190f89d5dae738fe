import { cardExtents } from './card-extent.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import { findNames, type FoundName } from './find-names.ts';
import { type PageLines, readPageLines } from './page-lines.ts';
import type { PageSource } from './page-source.ts';
import { type PersonCard, readPersonCard } from './person-card.ts';

const MAX_CARDS = 1_000;

/**
 * Persons of team pages: names in like places of a page, each with a role, links or contacts beside it, in whatever
 * markup (cards, lists, tables, definition lists, headings with paragraphs). A lone name counts when its role stands
 * next to it, or an address or profile has the name. What several cards share is nobody's own.
 */
export function readTeamCards(source: PageSource): ContactCard[] {
  const page = readPageLines(source.page.root);
  const names = findNames(page);
  const groups = [...Map.groupBy(names, ({ place }) => place).values()].toSorted(
    (a, b) => strengthOf(b) - strengthOf(a) || b.length - a.length,
  );
  const accepted: PersonCard[] = [];
  const taken: boolean[] = [];
  for (const group of groups) {
    const free = group.filter(({ line }) => taken[line] !== true);
    if (free.length === 0 || accepted.length >= MAX_CARDS) continue;
    for (const { card, from, to } of readGroup(free, source, page)) {
      accepted.push(card);
      for (let line = from; line < to; line += 1) taken[line] = true;
    }
  }
  return withoutShared(accepted)
    .toSorted((a, b) => a.found.line - b.found.line)
    .slice(0, MAX_CARDS)
    .map(({ found, title, emails, phones, profiles }) =>
      contactCard({
        technique: 'team-card',
        kind: 'person',
        name: found.name,
        title,
        emails,
        phones,
        profiles,
      }),
    );
}

function strengthOf([first]: readonly FoundName[]): number {
  return first?.strength ?? 0;
}

function readGroup(
  names: readonly FoundName[],
  source: PageSource,
  page: PageLines,
): { card: PersonCard; from: number; to: number }[] {
  const read = cardExtents(names.slice(0, MAX_CARDS), page).map(({ from, to, ...extent }) => ({
    from,
    to,
    card: readPersonCard({ from, to, ...extent }, source, page),
  }));
  const distinct = new Set(read.map(({ card }) => card.found.key)).size;
  const convincing = new Set(
    read.filter(({ card }) => isConvincing(card)).map(({ card }) => card.found.key),
  ).size;
  if (convincing >= 2 && convincing * 2 >= distinct) {
    // Where cards have their roles, or each has a line in their place, that line is the role.
    const near = read.filter(({ card }) => card.isTitleNear).length;
    const placed = read.filter(({ card }) => card.isTitleNear || card.unknownTitle !== null).length;
    const own = read.filter(({ card }) => card.hasOwnContact).length;
    const isUsual = near * 2 >= read.length || (placed === read.length && own * 2 >= read.length);
    return read
      .map((one) => {
        const title = one.card.title ?? (isUsual ? one.card.unknownTitle : null);
        return { ...one, card: { ...one.card, title } };
      })
      .filter(({ card }) => hasAnything(card));
  }
  return read
    .filter(({ card }) => standsAlone(card))
    .map((one) => {
      const isHeading = one.card.found.strength === 3 && one.card.hasOwnContact;
      const title = one.card.title ?? (isHeading ? one.card.unknownTitle : null);
      return { ...one, card: { ...one.card, title } };
    });
}

function isConvincing({ title, hasOwnContact, emails, isAuthor }: PersonCard): boolean {
  if (isAuthor) return hasOwnContact;
  return title !== null || hasOwnContact || emails.length > 0;
}

function hasAnything({ title, emails, phones, profiles, isAuthor }: PersonCard): boolean {
  const contacts = emails.length + phones.length + profiles.length;
  return contacts > 0 || (title !== null && !isAuthor);
}

function standsAlone(card: PersonCard): boolean {
  const { found, title, isTitleNear, hasOwnContact, isAuthor } = card;
  if (hasOwnContact) return true;
  if (title === null || isAuthor) return false;
  if (found.isLabelled || (isTitleNear && found.strength === 3)) return true;
  return isTitleNear && card.phones.length + card.emails.length + card.profiles.length > 0;
}

/** An address or profile that several names have is the house's. */
function withoutShared(cards: readonly PersonCard[]): PersonCard[] {
  const keys = new Map<string, Set<string>>();
  for (const { found, emails, profiles } of cards) {
    for (const value of [...emails, ...profiles]) {
      keys.set(value, (keys.get(value) ?? new Set()).add(found.key));
    }
  }
  const isOwn = (value: string): boolean => keys.get(value)?.size === 1;
  return cards.map((card) => ({
    ...card,
    emails: card.emails.filter(isOwn),
    profiles: card.profiles.filter(isOwn),
  }));
}
