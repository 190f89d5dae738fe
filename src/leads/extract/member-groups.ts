import type { HtmlNode } from '#src/files/html-tree.ts';
import { isFreeMail, isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import { contactsIn } from './card-contacts.ts';
import { type CardExtent, cardExtents } from './card-extent.ts';
import type { ContactHint } from './contact-hints.ts';
import { resemblesDomain } from './organization-key.ts';
import type { OrganizationLine } from './organization-lines.ts';
import { localPartOf, nameMatchesAddress } from './name-matches-address.ts';
import { domainOfEmail, isAtDomain, namesDomain } from './own-domain.ts';
import type { PageLine, PageLines } from './page-lines.ts';
import type { PageSource } from './page-source.ts';
import { readPersonName } from './person-name.ts';
import { isRoleLine } from './role-words.ts';

/** One of several named cards in repeated structures. */
export interface ListedCard {
  found: OrganizationLine;
  nodes: HtmlNode[];
  from: number;
  to: number;
  emails: string[];
  phones: string[];
  profiles: string[];
  website: string | null;
  /** Domains in the card, except the site's, and addresses at mail providers that spell the name. */
  foreign: Set<string>;
  /** Whether it contains an address of the site that is not a mailbox of its own there. */
  isOfSite: boolean;
}

/** The site that lists them. */
interface SiteOfList {
  siteDomain: string;
  /** The page or a heading announces a list of organisations. */
  isListing: boolean;
}

const MAX_LEVELS = 64;
const MIN_CARDS = 3;
/** When the page or a heading announces a list of organisations. */
const MIN_CARDS_LISTED = 2;
const LONGEST_PERSON = 60;
/** A first name, a surname and the kind of firm. */
const MIN_WORDS_WITH_KIND = 3;

/** Reads the cards of names in repeated structures, with all their contacts; empty when hardly any has one. */
export function listedCards(
  names: readonly OrganizationLine[],
  hints: readonly ContactHint[],
  { page, ...context }: { source: PageSource; page: PageLines } & SiteOfList,
): ListedCard[] {
  const extents = cardExtents(names, page, names).filter(({ nodes }) => nodes.length > 0);
  const held = hintsOf(extents, hints);
  if (held.size < MIN_CARDS_LISTED) return [];
  return extents.map((extent, index) =>
    readCard(extent, held.get(index) ?? [], { ...context, ...page }),
  );
}

function hintsOf(
  extents: readonly CardExtent<OrganizationLine>[],
  hints: readonly ContactHint[],
): Map<number, ContactHint[]> {
  const owners = new Map<HtmlNode, number>();
  for (const [index, { nodes }] of extents.entries()) {
    for (const node of nodes) owners.set(node, index);
  }
  const held = new Map<number, ContactHint[]>();
  for (const hint of hints) {
    let at: HtmlNode | null = hint.node;
    for (let up = 0; at && up < MAX_LEVELS; up += 1) {
      const owner = owners.get(at);
      if (owner !== undefined) {
        const own = held.get(owner);
        if (own) own.push(hint);
        else held.set(owner, [hint]);
        break;
      }
      at = at.parent;
    }
  }
  return held;
}

function readCard(
  { found, nodes, from, to }: CardExtent<OrganizationLine>,
  hints: readonly ContactHint[],
  { source, styles, lines, siteDomain, isListing }: { source: PageSource } & PageLines & SiteOfList,
): ListedCard {
  // In a list of members, an address that a script writes may stand beside the web site.
  const hasContact = hints.some(({ kind }) => kind !== 'site' || isListing);
  const contacts = hasContact
    ? contactsIn(nodes, source, styles)
    : { emails: [], phones: [], profiles: [] };
  const isAtSite = (email: string): boolean => isAtDomain(email, siteDomain);
  const isOfSite = contacts.emails
    .filter(isAtSite)
    .some((email) => !isListing || isOfStaff(email, found.name, lines.slice(from, to)));
  const foreign = new Set(
    contacts.emails
      .filter((email) => !isAtSite(email))
      .flatMap((email) => domainOfEmail(email) ?? []),
  );
  // At a mail provider, an address that spells the name is as good as a domain.
  for (const email of contacts.emails) {
    if (isFreeMail(email) && spellsName(email, found.name)) foreign.add(email);
  }
  const sites = hints.filter(({ kind }) => kind === 'site');
  for (const site of sites) if (site.foreign !== null) foreign.add(site.foreign);
  return { found, nodes, from, to, ...contacts, website: sites[0]?.url ?? null, foreign, isOfSite };
}

function spellsName(email: string, name: string): boolean {
  const local = localPartOf(email).replaceAll(/[._-]/g, '');
  return readPersonName(name) === null && resemblesDomain(name, local);
}

/**
 * An association may give its members mailboxes. Those of its own desks are not theirs, nor those of the people named
 * above their role.
 */
function isOfStaff(email: string, name: string, lines: readonly PageLine[]): boolean {
  if (namesDomain(name, localPartOf(email).replaceAll('.', ''))) return false;
  if (isRoleAddress(email)) return true;
  const above = lines.slice(
    0,
    lines.findIndex(({ text }) => text.startsWith(name)),
  );
  return above.some(({ text }) => {
    const person = text.length > LONGEST_PERSON ? null : readPersonName(text);
    return person !== null && nameMatchesAddress(person, email);
  });
}

/** Many firms are named like a person; the domain of an address or web site tells them apart. */
function isOfPerson({ found, foreign }: ListedCard): boolean {
  if (readPersonName(found.name) === null) return false;
  return ![...foreign].some((domain) => namesDomain(found.name, domain));
}

/** Whether most names end in the same word, such as "office": then they are firms, and begin with who owns them. */
function haveKind(cards: readonly ListedCard[]): boolean {
  const ends = cards.flatMap(({ found }) => {
    const words = found.name.split(' ');
    return words.length >= MIN_WORDS_WITH_KIND ? (words.at(-1)?.toLowerCase() ?? []) : [];
  });
  const [count = 0] = [...Map.groupBy(ends, (end) => end).values()]
    .map(({ length }) => length)
    .toSorted((a, b) => b - a);
  return count >= MIN_CARDS && count * 2 > cards.length;
}

/**
 * Whether the cards belong to other organisations: several have domains of their own, which are not merely those of
 * people's employers or of ticket shops.
 * @param isListing the page or a heading announces such a list
 */
export function areMembers(cards: readonly ListedCard[], isListing: boolean): boolean {
  const reachable = cards.filter(({ emails, phones }) => emails.length + phones.length > 0);
  const others = reachable.filter(({ isOfSite, foreign }) => !isOfSite || foreign.size > 0);
  const known = cards.filter(
    ({ emails, phones, website }) => emails.length + phones.length > 0 || website !== null,
  );
  if (others.length < MIN_CARDS_LISTED || others.length * 2 < reachable.length) return false;
  // A directory of a town hall lists positions.
  if (cards.filter(({ found }) => isRoleLine(found.name)).length * 2 > cards.length) return false;
  if (known.length < (isListing ? MIN_CARDS_LISTED : MIN_CARDS)) return false;
  const foreign = cards.filter((card) => card.foreign.size > 0);
  const domains = new Set(foreign.flatMap((card) => [...card.foreign]));
  const people = haveKind(cards) ? [] : cards.filter(isOfPerson);
  const isOfPeople = people.length * 2 > cards.length;
  if (isOfPeople) {
    // One-person firms have web sites; board members have only their employers' addresses.
    const sites = cards.filter(({ website }) => website !== null);
    return isListing && domains.size >= 2 && sites.length * 2 >= known.length;
  }
  if (isListing) return domains.size >= 1 || others.length >= MIN_CARDS;
  const alike = foreign.filter(({ found, foreign: own }) =>
    [...own].some((domain) => namesDomain(found.name, domain)),
  );
  const hasDomain = [...domains].some((domain) => !domain.includes('@'));
  return (
    hasDomain &&
    domains.size >= 2 &&
    foreign.length * 2 >= known.length &&
    alike.length * 3 >= foreign.length
  );
}
