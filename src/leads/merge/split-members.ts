import {
  areDomainsAlike,
  domainOfEmail,
  domainOfSite,
  isAtDomain,
} from '#src/leads/extract/own-domain.ts';
import { organizationKey, resemblesDomain } from '#src/leads/extract/organization-key.ts';
import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import { hasContacts } from './draft-contacts.ts';
import { draftOfCard, joinDrafts } from './join-drafts.ts';
import type { LeadDraft } from './lead-draft.ts';
import { mergePersons } from './merge-persons.ts';
import type { PlacedCard } from './own-organization.ts';
import { isStructured } from './trust.ts';

/** A site's own cards, and the organisations that it lists. */
export interface SplitCards {
  /** Listed organisations with contacts, followed by their people. */
  members: LeadDraft[];
  rest: PlacedCard[];
}

/** Separates the organisations that a site lists from its own, and removes their contacts from the loose cards. */
export function splitMembers(
  placed: readonly PlacedCard[],
  { siteDomain, siteName }: { siteDomain: string; siteName: string },
): SplitCards {
  const isHost = hostTest(placed, { siteDomain, siteName });
  const listed = placed.filter(
    ({ card }) => card.kind === 'organization' && card.entity === 'member' && !isHost(card),
  );
  if (listed.length === 0) return { members: [], rest: [...placed] };
  const organizations = groupsOf(listed, siteDomain).map((group) => memberDraft(group, siteDomain));
  const byKey = new Map(
    listed.flatMap(({ card }) => {
      const draft = organizations.find(({ cards }) => cards.has(card))?.draft;
      return draft && card.name ? [[organizationKey(card.name), draft] as const] : [];
    }),
  );
  const employerOf = ({ kind, company }: ContactCard): LeadDraft | undefined =>
    kind === 'person' && company !== null ? byKey.get(organizationKey(company)) : undefined;
  const staff = placed.flatMap(({ card, url }) => {
    const employer = employerOf(card);
    return employer ? [personDraft(card, url, employer)] : [];
  });
  const claimed = ownContacts(placed, siteDomain);
  const theirs = new Set(
    organizations
      .flatMap(({ draft }) => [
        ...draft.emails,
        ...draft.phones,
        ...draft.linkedin,
        ...draft.twitter,
      ])
      .map(({ value }) => value)
      .filter((value) => !claimed.has(value)),
  );
  const rest = placed.flatMap(({ card, url }): PlacedCard[] => {
    if (listed.some((one) => one.card === card) || employerOf(card)) return [];
    if (card.kind === 'organization') return [{ card, url }];
    return [{ url, card: withoutValues(card, theirs) }];
  });
  return {
    members: [
      ...organizations.map(({ draft }) => draft).filter(hasContacts),
      ...mergePersons(staff),
    ],
    rest,
  };
}

/** Tests whether a card is about the organisation whose site it is. */
function hostTest(
  placed: readonly PlacedCard[],
  { siteDomain, siteName }: { siteDomain: string; siteName: string },
): (card: ContactCard) => boolean {
  const siteKey = organizationKey(siteName);
  const names = new Set(
    placed.flatMap(({ card }) =>
      isListed(card) && card.name !== null ? [organizationKey(card.name)] : [],
    ),
  );
  return (card) => {
    const domain = memberDomainOf(card, siteDomain);
    if (domain !== null && areDomainsAlike(domain, siteDomain)) return true;
    if (card.name === null) return true;
    const key = organizationKey(card.name);
    if (siteKey !== '' && key === siteKey) return true;
    // Of cards in a list the page has told which one is the host.
    return !names.has(key) && domain === null && resemblesDomain(card.name, siteDomain);
  };
}

/** Read from a list of organisations, in the page or in its data. */
function isListed({ entity, technique }: ContactCard): boolean {
  return entity === 'member' && !isStructured(technique);
}

/** The domain of its web site, else of its address. */
function domainOf({ website, emails }: ContactCard): string | null {
  const site = website === null ? null : domainOfSite(website);
  return site ?? emails.map(domainOfEmail).find((domain) => domain !== null) ?? null;
}

/** The same for a listed organisation: a mailbox at the site that lists it does not count. */
function memberDomainOf(card: ContactCard, siteDomain: string): string | null {
  if (card.entity !== 'member') return domainOf(card);
  return domainOf({
    ...card,
    emails: card.emails.filter((email) => !isAtDomain(email, siteDomain)),
  });
}

/** Groups the cards of one organisation: by domain, or by name where one of them has no domain. */
function groupsOf(listed: readonly PlacedCard[], siteDomain: string): PlacedCard[][] {
  const domainOfMember = ({ card }: PlacedCard): string | null => memberDomainOf(card, siteDomain);
  const groups: PlacedCard[][] = [];
  const byKey = new Map<string, PlacedCard[]>();
  const ordered = listed.toSorted(
    (a, b) => Number(domainOfMember(b) !== null) - Number(domainOfMember(a) !== null),
  );
  for (const placed of ordered) {
    const domain = domainOfMember(placed);
    const name = `name ${organizationKey(placed.card.name ?? '')}`;
    const known = domain === null ? byKey.get(name) : byKey.get(`domain ${domain}`);
    const group = known ?? [];
    if (!known) groups.push(group);
    group.push(placed);
    if (domain !== null) byKey.set(`domain ${domain}`, group);
    if (!byKey.has(name)) byKey.set(name, group);
  }
  return groups;
}

function memberDraft(
  group: readonly PlacedCard[],
  siteDomain: string,
): { draft: LeadDraft; cards: ReadonlySet<ContactCard> } {
  const domain = group
    .map(({ card }) => memberDomainOf(card, siteDomain))
    .find((one) => one !== null);
  const joined = joinDrafts(
    group.map(({ card, url }) =>
      draftOfCard(card, { kind: 'organization', url, siteDomain: domain ?? siteDomain }),
    ),
  );
  const draft = { ...joined, company: joined.name, title: null, foundOn: siteDomain };
  return { draft, cards: new Set(group.map(({ card }) => card)) };
}

function personDraft(card: ContactCard, url: string, employer: LeadDraft): LeadDraft {
  const draft = draftOfCard(card, { kind: 'person', url, siteDomain: employer.siteDomain });
  return { ...draft, company: employer.name, website: employer.website, foundOn: employer.foundOn };
}

/** Contacts of the site's own organisation in structured data. */
function ownContacts(placed: readonly PlacedCard[], siteDomain: string): Set<string> {
  const own = placed.filter(({ card }) => {
    if (card.kind !== 'organization' || card.entity === 'member') return false;
    const domain = domainOf(card);
    return isStructured(card.technique) && domain !== null && areDomainsAlike(domain, siteDomain);
  });
  return new Set(own.flatMap(({ card }) => [...card.emails, ...card.phones, ...card.profiles]));
}

function withoutValues(card: ContactCard, values: ReadonlySet<string>): ContactCard {
  return {
    ...card,
    emails: card.emails.filter((value) => !values.has(value)),
    phones: card.phones.filter((value) => !values.has(value)),
    profiles: card.profiles.filter((value) => !values.has(value)),
  };
}
