import type { HtmlNode } from '#src/files/html-tree.ts';
import { isListingName } from '#src/leads/lexicon/listing-words.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import { contactHints } from './contact-hints.ts';
import { type FoundName, findNames } from './find-names.ts';
import { areMembers, type ListedCard, listedCards } from './member-groups.ts';
import { organizationNameTest } from './is-organization-name.ts';
import { memberPersons, usualPlaces } from './member-persons.ts';
import { organizationKey } from './organization-key.ts';
import { type OrganizationLine, organizationLines } from './organization-lines.ts';
import { type PageLines, readPageLines } from './page-lines.ts';
import type { PageSource } from './page-source.ts';

/** The other organisations that a page lists, and the nodes about them. */
export interface Members {
  cards: ContactCard[];
  nodes: HtmlNode[];
}

/** Each card is read in full, so more would exceed the time for a page. */
const MAX_CARDS = 1_000;
const MAX_GROUPS = 60;
const MAX_HEADINGS = 40;
/** Letters of a domain that can name a place. */
const SHORTEST_PLACE = 4;

/**
 * Reads the organisations on a page of members, tenants, dealers and the like: names in repeated structures, each with
 * its own contacts, in any markup. Contacts in such a card belong neither to the site nor to its people.
 */
export function readMembers(source: PageSource): Members {
  const page = readPageLines(source.page.root);
  const members: Members = { cards: [], nodes: [] };
  const hints = contactHints(source, page);
  if (hints.length < 2) return members;
  const groups = [...Map.groupBy(organizationLines(page), ({ place }) => place).values()]
    .filter((group) => group.length > 1)
    .toSorted((a, b) => strengthOf(b) - strengthOf(a) || b.length - a.length)
    .slice(0, MAX_GROUPS);
  const siteDomain = registrableDomain(source.url) ?? '';
  const isHost = organizationNameTest(source);
  const isListing = isListingPage(source, page);
  const taken = new Set<number>();
  for (const group of groups) {
    const free = group.filter(({ line }) => !taken.has(line)).slice(0, MAX_CARDS);
    if (free.length < 2 || members.cards.length >= MAX_CARDS) continue;
    const cards = listedCards(free, hints, { source, page, siteDomain, isListing });
    if (!areMembers(cards, isListing)) continue;
    const listed = cards.map(({ found }) => found.name);
    const isPlace = namesPlace(listed, siteDomain);
    const others = cards.filter(
      ({ found, isOfSite }) => !isOfSite && (isPlace || !isHost(found.name)),
    );
    const names = findNames(page, new Set(cards.map(({ found }) => found.line)));
    members.cards.push(...cardsOf(others, names, page));
    for (const { nodes, from, to } of others) {
      members.nodes.push(...nodes);
      for (let line = from; line < to; line += 1) taken.add(line);
    }
  }
  return members;
}

/**
 * Whether several listed names end in the name of the site's domain after different words: "Rowing Club Milford" and
 * "Choir Milford" at milford.gov. Then it is the name of a place. Branches of one organisation begin alike.
 */
function namesPlace(names: readonly string[], siteDomain: string): boolean {
  const label = organizationKey(siteDomain.split('.')[0] ?? '');
  if (label.length < SHORTEST_PLACE) return false;
  const before = names.map((name) => organizationKey(name).split(label, 1)[0] ?? '');
  const differ = before.filter((words, at) => {
    const key = organizationKey(names[at] ?? '');
    return words !== '' && words.length < key.length;
  });
  return new Set(differ).size > 1;
}

function strengthOf([first]: readonly OrganizationLine[]): number {
  return first?.strength ?? 0;
}

/** Whether path, title or headings announce a list of other organisations. */
export function isListingPage({ url, page }: PageSource, { lines }: PageLines): boolean {
  const path = (URL.parse(url)?.pathname ?? '').split('/');
  const headings = lines
    .filter(({ elements: [element] }) => element && /^h[1-3]$/.test(element.name))
    .slice(0, MAX_HEADINGS);
  return [
    ...path.map((part) => decoded(part).replace(/\.\w{2,5}$/, '')),
    page.title.split(/\s+[|–—-]\s+/u, 1)[0] ?? '',
    ...headings.map(({ text }) => text),
  ].some((name) => name !== '' && isListingName(name));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

function cardsOf(
  listed: readonly ListedCard[],
  names: readonly FoundName[],
  { lines }: PageLines,
): ContactCard[] {
  const isShared = sharedTest(listed);
  const usual = usualPlaces(listed, names);
  return listed.flatMap((card) => {
    const { found, website } = card;
    const own = (values: readonly string[]): string[] => values.filter((value) => !isShared(value));
    const organization = contactCard({
      technique: 'member-card',
      kind: 'organization',
      entity: 'member',
      name: found.name,
      emails: own(card.emails),
      phones: own(card.phones),
      profiles: own(card.profiles),
      website,
    });
    return [organization, ...memberPersons(card, organization, names, lines, usual)];
  });
}

/** A contact in the cards of several organisations belongs to whoever lists them. */
function sharedTest(listed: readonly ListedCard[]): (value: string) => boolean {
  const owners = new Map<string, Set<string>>();
  for (const { found, foreign, emails, phones, profiles } of listed) {
    const owner = [...foreign][0] ?? found.name;
    for (const value of [...emails, ...phones, ...profiles]) {
      owners.set(value, (owners.get(value) ?? new Set()).add(owner));
    }
  }
  return (value) => (owners.get(value)?.size ?? 0) > 1;
}
