import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import type { ContactCard } from './contact-card.ts';
import { organizationNameTest } from './is-organization-name.ts';
import { isListingPage } from './member-cards.ts';
import { organizationKey } from './organization-key.ts';
import { areDomainsAlike, domainOfEmail, domainOfSite } from './own-domain.ts';
import { readPageLines } from './page-lines.ts';
import type { PageSource } from './page-source.ts';

const MIN_CARDS = 3;
/** When the page announces a list of organisations. */
const MIN_CARDS_LISTED = 2;

/**
 * Marks organisations in structured data as members if a page describes several that are not the site's: by name, and
 * by domain unless the page announces such a list.
 */
export function withMarkedMembers(
  cards: readonly ContactCard[],
  source: PageSource,
): ContactCard[] {
  if (cards.length < MIN_CARDS_LISTED) return [...cards];
  const siteDomain = registrableDomain(source.url) ?? '';
  const isHost = organizationNameTest(source);
  const isListing = isListingPage(source, readPageLines(source.page.root));
  const isOther = (card: ContactCard): boolean => {
    const { kind, name, emails, phones } = card;
    if (kind !== 'organization' || name === null || isHost(name)) return false;
    const domains = domainsOf(card);
    if (domains.some((domain) => areDomainsAlike(domain, siteDomain))) return false;
    return isListing ? emails.length + phones.length + domains.length > 0 : domains.length > 0;
  };
  const members = new Set<ContactCard>();
  for (const ofTechnique of Map.groupBy(cards, ({ technique }) => technique).values()) {
    const others = ofTechnique.filter(isOther);
    const names = new Set(others.map(({ name }) => organizationKey(name ?? '')));
    if (names.size < (isListing ? MIN_CARDS_LISTED : MIN_CARDS)) continue;
    for (const other of others) members.add(other);
  }
  return cards.map((card) => (members.has(card) ? { ...card, entity: 'member' } : card));
}

/**
 * Gives what structured data says about a listed organisation to that organisation: cards with its name, or without
 * any name and with its contacts.
 */
export function withListed(
  cards: readonly ContactCard[],
  listed: readonly ContactCard[],
): ContactCard[] {
  const members = listed.filter(({ kind }) => kind === 'organization');
  if (members.length === 0) return [...cards];
  const byName = new Map(members.map((member) => [organizationKey(member.name ?? ''), member]));
  const byContact = new Map(
    members.flatMap((member) =>
      [...member.emails, ...member.phones].map((value) => [value, member] as const),
    ),
  );
  return cards.map((card) => {
    const { kind, name, emails, phones } = card;
    if (kind === 'page' || (kind === 'person' && name !== null)) return card;
    const member =
      name === null
        ? [...emails, ...phones].map((value) => byContact.get(value)).find(Boolean)
        : byName.get(organizationKey(name));
    if (!member) return card;
    return { ...card, kind: 'organization', entity: 'member', name: member.name };
  });
}

function domainsOf({ emails, website }: ContactCard): string[] {
  const site = website === null ? null : domainOfSite(website);
  return [site, ...emails.map(domainOfEmail)].filter((domain) => domain !== null);
}
