import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import { addAreaCodes } from './add-area-codes.ts';
import { buildOrganization } from './build-organization.ts';
import { CONTACT_FIELDS, contactsOf, hasContacts } from './draft-contacts.ts';
import { dropOutsiders } from './drop-outsiders.ts';
import { dropStrangers } from './drop-strangers.ts';
import { emailPatternOf } from './email-pattern.ts';
import { organizationKey } from '#src/leads/extract/organization-key.ts';
import { haveSurnamesFirst, withGivenNameFirst } from '#src/leads/extract/name-order.ts';
import { beginsWithKind } from '#src/leads/extract/organization-kinds.ts';
import { personNameKey, readPersonName } from '#src/leads/extract/person-name.ts';
import { hasWholeName, localPartOf } from '#src/leads/extract/name-matches-address.ts';
import { givePageContacts } from './give-page-contacts.ts';
import { draftOfCard } from './join-drafts.ts';
import { judgePersons } from './judge-persons.ts';
import type { Evidenced, LeadDraft } from './lead-draft.ts';
import { isLocalSite } from './is-local-site.ts';
import { mergePersons } from './merge-persons.ts';
import { ownOrganizationCards, type PlacedCard } from './own-organization.ts';
import { nameOfSite } from './name-of-site.ts';
import { splitMembers } from './split-members.ts';
import { mergePersonalSite, statedEmployer } from './personal-site.ts';
import { isStructured } from './trust.ts';

export { mergeDrafts } from './merge-drafts.ts';

/** Further cards of a site are not read. */
const MAX_CARDS = 5_000;
/** Of more persons than this, none is sought by name for each address. */
const MAX_NAMED = 200;

/**
 * The leads of a site: its organisation, if anything is known of it, then its persons, the best known first. Every
 * value has its sources.
 * @param extracted pages of one site, the start page first
 */
export function mergeLeads(extracted: readonly ExtractedPage[], siteDomain: string): LeadDraft[] {
  if (extracted.length === 0) return [];
  const pages = judgePersons(extracted);
  const all = addAreaCodes(
    pages
      .flatMap((page) =>
        namesInOrder(page).map((card): PlacedCard => ({ url: pageOf(page.url), card })),
      )
      .slice(0, MAX_CARDS),
  );
  const siteName = nameOfSite(pages, siteDomain).value;
  const { members, rest: placed } = splitMembers(all, { siteDomain, siteName });
  const organizations = placed.filter(({ card }) => card.kind === 'organization');
  const ownCards = ownOrganizationCards(organizations, { pages, siteDomain });
  const ownNames = new Set(
    ownCards.flatMap(({ card }) => (card.name ? personNameKey(card.name) : [])),
  );
  const isPerson = personTest(ownNames, siteName);
  const persons = dropOutsiders(
    mergePersons(
      placed
        .filter(isPerson)
        .map(({ card, url }) => draftOfCard(card, { kind: 'person', url, siteDomain })),
    ),
    { siteDomain, siteName, emails: placed.flatMap(({ card }) => card.emails) },
  );
  const claimed = new Set([
    ...persons.flatMap(({ emails }) => emails.map(({ value }) => value)),
    ...ownCards.flatMap(({ card }) => card.emails),
    ...addressesNamedFor(persons, placed),
  ]);
  const loose = dropStrangers(
    placed.filter((one) => one.card.kind !== 'organization' && !isPerson(one)),
    {
      siteDomain,
      claimed,
      siteNames: [
        ownCards[0]?.card.name ?? pages[0]?.siteName ?? '',
        statedEmployer(persons) ?? '',
      ],
    },
  );
  const given = givePageContacts(withoutOrganizationPhones(persons, ownCards), loose, siteDomain);
  const organization = buildOrganization({
    own: ownCards,
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
  return inOrder(ownLeads(organization, known.toSorted(byReach)), members);
}

/** The cards of a page, with the given name first in the names of persons. */
function namesInOrder({ cards, language, region = null }: ExtractedPage): ContactCard[] {
  const names = cards.flatMap(({ kind, name }) => (kind === 'person' ? (name ?? []) : []));
  const place = { language, region, isTurned: haveSurnamesFirst(names) };
  return cards.map((card) => {
    if (card.kind !== 'person' || card.name === null) return card;
    return { ...card, name: withGivenNameFirst(card.name, place) };
  });
}

/** Addresses with the whole name of a person, on a page that shows the person. */
function addressesNamedFor(persons: readonly LeadDraft[], placed: readonly PlacedCard[]): string[] {
  if (persons.length > MAX_NAMED) return [];
  return placed.flatMap(({ card, url }) =>
    card.emails.filter((email) =>
      persons.some(
        ({ name }) =>
          name !== null &&
          hasWholeName(name.value, localPartOf(email)) &&
          name.evidence.some((one) => one.url === url),
      ),
    ),
  );
}

function personTest(
  ownNames: ReadonlySet<string>,
  siteName: string,
): (placed: PlacedCard) => boolean {
  const siteKey = organizationKey(siteName);
  // Some systems mark every contact as a person.
  const isOfSite = (name: string): boolean =>
    siteKey !== '' && organizationKey(name).startsWith(siteKey) && readPersonName(name) === null;
  return ({ card: { kind, name, title, technique } }) => {
    if (kind !== 'person' || name === null || isOfSite(name)) return false;
    // The name of an organisation may look like a person's.
    if (isStructured(technique)) return true;
    return !beginsWithKind(name) && (title !== null || !ownNames.has(personNameKey(name)));
  };
}

/** The site's organisation, if known, and its persons. */
function ownLeads(
  { draft, isKnown }: { draft: LeadDraft; isKnown: boolean },
  persons: readonly LeadDraft[],
): LeadDraft[] {
  const organization = { ...draft, emailPattern: emailPatternOf(persons) };
  const personal = mergePersonalSite(organization, persons);
  if (isKnown) return personal ?? [organization, ...persons];
  const isEmployed = personal !== null && personal.length > 1;
  return isEmployed ? personal : [...persons];
}

/** The site's own organisation first, then leads with contacts, then those without. */
function inOrder(own: readonly LeadDraft[], members: readonly LeadDraft[]): LeadDraft[] {
  if (members.length === 0) return [...own];
  const [first, ...others] = [...own, ...members];
  return first ? [first, ...others.toSorted((a, b) => reachOf(b) - reachOf(a))] : [];
}

/** By mail, by phone, or not at all. A limit must not drop someone with an address for someone without. */
function reachOf({ emails, phones }: LeadDraft): number {
  return emails.length > 0 ? 2 : phones.length > 0 ? 1 : 0;
}

function byReach(a: LeadDraft, b: LeadDraft): number {
  return reachOf(b) - reachOf(a) || factsOf(b) - factsOf(a);
}

/** With another number, in structured data if any is there, the organisation's number is not the person's. */
function withoutOrganizationPhones(
  persons: readonly LeadDraft[],
  own: readonly PlacedCard[],
): LeadDraft[] {
  const marked = own.filter(({ card }) => isStructured(card.technique));
  const ofOrganization = new Set(marked.flatMap(({ card }) => card.phones));
  const isMarked = ({ evidence }: Evidenced): boolean =>
    evidence.some(({ technique }) => isStructured(technique));
  return persons.map((person) => {
    const isOwn = person.phones.some(isMarked)
      ? isMarked
      : ({ value }: Evidenced): boolean => !ofOrganization.has(value);
    if (!person.phones.some(isOwn)) return person;
    const phones = person.phones.filter((one) => isOwn(one) || !ofOrganization.has(one.value));
    return { ...person, phones };
  });
}

/** Without its fragment: one page is one source. */
function pageOf(url: string): string {
  return url.split('#', 1)[0] ?? url;
}

/**
 * A name alone, such as an author's, gives no way to contact anybody; nor does a name with only an employer. That of
 * somebody of the team does: addresses often follow from names.
 */
function isLead(draft: LeadDraft): boolean {
  if (draft.title || hasContacts(draft)) return true;
  if (draft.name?.evidence.some(({ technique }) => technique === 'team-name')) return true;
  return draft.company?.evidence.some(({ technique }) => isStructured(technique)) ?? false;
}

function factsOf(lead: LeadDraft): number {
  const contacts = contactsOf(lead);
  const known = CONTACT_FIELDS.filter((field) => contacts[field].length > 0);
  return known.length + (lead.title ? 1 : 0) + (lead.website ? 1 : 0);
}
