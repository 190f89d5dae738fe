import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import { buildOrganization } from './build-organization.ts';
import { dropStrangers } from './drop-strangers.ts';
import { personNameKey } from '#src/leads/extract/person-name.ts';
import { givePageContacts } from './give-page-contacts.ts';
import { draftOfCard, joinDrafts } from './join-drafts.ts';
import type { Evidenced, LeadDraft } from './lead-draft.ts';
import { isLocalSite } from './is-local-site.ts';
import { mergePersons } from './merge-persons.ts';
import { organizationKey } from '#src/leads/extract/organization-key.ts';
import { ownOrganizationCards, type PlacedCard } from './own-organization.ts';
import { isStructured } from './trust.ts';

export { mergeDrafts } from './merge-drafts.ts';

/** Further cards of a site are not read. */
const MAX_CARDS = 5_000;

/**
 * The leads of a site: its organisation, if anything is known of it, then its persons, the best known first. Every
 * value has its sources.
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
    // The name of an organisation may look like a person's.
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
  const given = givePageContacts(withoutOrganizationPhones(persons, own), loose, siteDomain);
  const organization = buildOrganization({
    own,
    rest: given.rest,
    pages,
    siteDomain,
  });
  // An address in the local network is not a name.
  const isNameless = isLocalSite(siteDomain) && organization.name?.value === siteDomain;
  const employer = isNameless ? null : organization.name;
  const known = given.persons.filter(isLead).map((person) => ({
    ...person,
    company: person.company ?? employer,
  }));
  const leads = known.toSorted((a, b) => factsOf(b) - factsOf(a));
  if (!organization.isKnown) return leads;
  return mergePersonalSite(organization.draft, leads) ?? [organization.draft, ...leads];
}

/** When structured data gives a person another number, the organisation's number is not the person's. */
function withoutOrganizationPhones(
  persons: readonly LeadDraft[],
  own: readonly PlacedCard[],
): LeadDraft[] {
  const marked = own.filter(({ card }) => isStructured(card.technique));
  const ofOrganization = new Set(marked.flatMap(({ card }) => card.phones));
  const isMarked = ({ evidence }: Evidenced): boolean =>
    evidence.some(({ technique }) => isStructured(technique));
  return persons.map((person) => {
    if (!person.phones.some(isMarked)) return person;
    const phones = person.phones.filter((one) => isMarked(one) || !ofOrganization.has(one.value));
    return { ...person, phones };
  });
}

/** When the site of a single person bears the person's name, the organisation's facts are the person's. */
function mergePersonalSite(
  organization: LeadDraft,
  persons: readonly LeadDraft[],
): LeadDraft[] | null {
  const [only, ...others] = persons;
  if (!only?.name || !organization.name || others.length > 0) return null;
  if (personNameKey(only.name.value) !== personNameKey(organization.name.value)) return null;
  const { name, title, company } = only;
  const { emails, phones, linkedin, twitter } = organization;
  const isOwn = company !== null && organizationKey(company.value) === organizationKey(name.value);
  const joined = joinDrafts([only, { ...only, emails, phones, linkedin, twitter }]);
  return [{ ...joined, name, title, company: isOwn ? null : company }];
}

/** Without its fragment: one page is one source. */
function pageOf(url: string): string {
  return url.split('#', 1)[0] ?? url;
}

/** A name alone, such as an author's, gives no way to contact anybody; nor does a name with only an employer. */
function isLead({ title, emails, phones, linkedin, twitter, company }: LeadDraft): boolean {
  if (title || emails.length + phones.length + linkedin.length + twitter.length > 0) return true;
  return company?.evidence.some(({ technique }) => isStructured(technique)) ?? false;
}

function factsOf(lead: LeadDraft): number {
  const { title, emails, phones, linkedin, twitter, website } = lead;
  const lists = [emails, phones, linkedin, twitter].filter((list) => list.length > 0);
  return lists.length + (title ? 1 : 0) + (website ? 1 : 0);
}
