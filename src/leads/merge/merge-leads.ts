import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import { buildOrganization } from './build-organization.ts';
import { dropStrangers } from './drop-strangers.ts';
import { personNameKey } from '#src/leads/extract/person-name.ts';
import { givePageContacts } from './give-page-contacts.ts';
import { draftOfCard } from './join-drafts.ts';
import type { LeadDraft } from '#src/leads/lead-draft.ts';
import { mergePersons } from './merge-persons.ts';
import { ownOrganizationCards, type PlacedCard } from './own-organization.ts';
import { isStructured } from './trust.ts';

export { mergeDrafts } from './merge-drafts.ts';

/** Cards of one site beyond this many are not read. */
const MAX_CARDS = 5_000;

/**
 * The leads of a site: its organisation, if anything is known of it, then its persons, those of whom most is known
 * first. Every value carries where it was read.
 * @param pages of one site, the start page first
 */
export function mergeLeads(pages: readonly ExtractedPage[], siteDomain: string): LeadDraft[] {
  if (pages.length === 0) return [];
  const placed = pages
    .flatMap(({ url, cards }) => cards.map((card): PlacedCard => ({ url: pageOf(url), card })))
    .slice(0, MAX_CARDS);
  const organizations = placed.filter(({ card }) => card.kind === 'organization');
  const own = ownOrganizationCards(organizations, { pages, siteDomain });
  const ownNames = new Set(own.flatMap(({ card }) => (card.name ? personNameKey(card.name) : [])));
  const isPerson = ({ card: { kind, name, title, technique } }: PlacedCard): boolean => {
    if (kind !== 'person' || name === null) return false;
    // The name of a house may look like that of a person.
    return isStructured(technique) || title !== null || !ownNames.has(personNameKey(name));
  };
  const persons = mergePersons(
    placed
      .filter(isPerson)
      .map(({ card, url }) => draftOfCard(card, { kind: 'person', url, siteDomain })),
  );
  const claimed = new Set([
    ...persons.flatMap(({ emails }) => emails.map(({ value }) => value)),
    ...own.flatMap(({ card }) => card.emails),
  ]);
  const loose = dropStrangers(
    placed.filter((one) => one.card.kind !== 'organization' && !isPerson(one)),
    { siteDomain, claimed, siteName: own[0]?.card.name ?? pages[0]?.siteName ?? '' },
  );
  const given = givePageContacts(persons, loose, siteDomain);
  const organization = buildOrganization({
    own,
    rest: given.rest,
    pages,
    siteDomain,
  });
  const known = given.persons.filter(isLead).map((person) => ({
    ...person,
    company: person.company ?? organization.name,
  }));
  const leads = known.toSorted((a, b) => factsOf(b) - factsOf(a));
  return organization.isKnown ? [organization.draft, ...leads] : leads;
}

/** Without its fragment: one page is one source. */
function pageOf(url: string): string {
  return url.split('#', 1)[0] ?? url;
}

/** A name alone, as that of an author, is nobody to write to; nor is one whose employer alone is seen. */
function isLead({ title, emails, phones, linkedin, twitter, company }: LeadDraft): boolean {
  if (title || emails.length + phones.length + linkedin.length + twitter.length > 0) return true;
  return company?.evidence.some(({ technique }) => isStructured(technique)) ?? false;
}

function factsOf(lead: LeadDraft): number {
  const { title, emails, phones, linkedin, twitter, website } = lead;
  const lists = [emails, phones, linkedin, twitter].filter((list) => list.length > 0);
  return lists.length + (title ? 1 : 0) + (website ? 1 : 0);
}
