import { isFreeMail, isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import { type Contacts, hasContacts, withContacts } from './draft-contacts.ts';
import { draftOfCard, emptyDraft, joinDrafts, joinValues } from './join-drafts.ts';
import type { Evidenced, LeadDraft } from './lead-draft.ts';
import { organizationKey, resemblesDomain } from '#src/leads/extract/organization-key.ts';
import { nameOfSite } from './name-of-site.ts';
import type { PlacedCard } from './own-organization.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { isStructured, trustOf } from './trust.ts';

/** More values of one kind would be of no use to anybody. */
const MAX_VALUES = 20;
/** General role addresses come before those for one topic. */
const FRONT_DESK =
  /^(?:info|contact|kontakt|contacto|contato|contatti|contatto|office|hello|hallo|hola|mail|email|biuro|bureau|buero|geral|iletisim|bilgi|accueil|post|posta|toimisto|welcome|enquiries|inquiries|kancelar|iroda|sales|vertrieb|reception)\b/;

export interface OrganizationSources {
  own: readonly PlacedCard[];
  rest: Contacts;
  pages: readonly ExtractedPage[];
  siteDomain: string;
}

/**
 * The organisation of a site, from its own cards and from loose facts on the pages.
 * @returns `isKnown` false when only a name is known; the name alone still tells where persons work
 */
export function buildOrganization({ own, rest, pages, siteDomain }: OrganizationSources): {
  draft: LeadDraft;
  name: Evidenced | null;
  isKnown: boolean;
} {
  const kind = 'organization' as const;
  const cards = own.map(({ card, url }) => draftOfOwn(card, { kind, url, siteDomain }));
  const loose = withContacts(emptyDraft(kind, siteDomain), {
    ...rest,
    linkedin: rest.linkedin.filter(({ value }) => !value.includes('/in/')),
  });
  const draft = joinDrafts([...cards, loose]);
  const name = nameOf(own, cards) ?? nameOfSite(pages, siteDomain);
  const bestProfile = (profiles: readonly Evidenced[]): Evidenced[] =>
    sortBy(profiles, (profile) => rankOfProfile(profile, name.value, siteDomain));
  const organization: LeadDraft = {
    ...draft,
    name,
    company: name,
    title: null,
    emails: sortBy(draft.emails, (email) => rankOfEmail(email, siteDomain)),
    phones: draft.phones.slice(0, MAX_VALUES),
    linkedin: bestProfile(draft.linkedin),
    twitter: bestProfile(draft.twitter),
    otherSocials: {
      facebook: bestProfile(draft.otherSocials.facebook),
      instagram: bestProfile(draft.otherSocials.instagram),
    },
    website: homeOf(pages, draft.website, siteDomain),
    description: draft.description ?? describedBy(pages),
  };
  return { draft: organization, name, isKnown: isKnown(organization, own) };
}

/** The name in structured data, preferably in a card with an address of the site. */
function nameOf(own: readonly PlacedCard[], cards: readonly LeadDraft[]): Evidenced | null {
  const named = own.flatMap(({ card }, index) => {
    const name = cards[index]?.name;
    if (!name) return [];
    const facts = card.emails.length + card.phones.length + (card.address ? 1 : 0);
    const worth = trustOf(card.technique) + (card.website ? 0.5 : 0) + (facts > 0 ? 0.5 : 0);
    return [{ name, worth }];
  });
  const [best] = named.toSorted((a, b) => b.worth - a.worth);
  if (!best) return null;
  const key = organizationKey(best.name.value);
  const same = named.filter(({ name }) => organizationKey(name.value) === key);
  const [joined] = joinValues(
    same.map(({ name }) => name),
    organizationKey,
  );
  return joined ? { ...joined, value: best.name.value } : best.name;
}

function isKnown(draft: LeadDraft, own: readonly PlacedCard[]): boolean {
  if (hasContacts(draft) || draft.address) return true;
  // A name alone is not enough: pages name an article's publisher only for search engines.
  return own.some(({ card }) => isStructured(card.technique) && card.name && card.description);
}

function sortBy(values: readonly Evidenced[], worth: (one: Evidenced) => number): Evidenced[] {
  return values.toSorted((a, b) => worth(b) - worth(a)).slice(0, MAX_VALUES);
}

/** The site's own domain first; then general role addresses; then marked-up ones. */
function rankOfEmail({ value, evidence }: Evidenced, siteDomain: string): number {
  const domain = registrableDomain(value.slice(value.lastIndexOf('@') + 1));
  const isMarked = evidence.some(({ technique }) => isStructured(technique));
  let worth = isMarked ? 6 : 0;
  if (domain === siteDomain) worth += 20;
  // Prefers the organisation's other domain, or its mailbox at a provider, to the agency that made the site.
  else if (isFreeMail(value) || (domain && domain.split('.')[0] === siteDomain.split('.')[0]))
    worth += 5;
  if (FRONT_DESK.test(value)) worth += 4;
  else if (isRoleAddress(value)) worth += 1;
  else worth += 2;
  return worth + Math.min(1, pagesOf(evidence) / 10);
}

function rankOfProfile({ value, evidence }: Evidenced, name: string, siteDomain: string): number {
  const slug = slugOf(value);
  const isAlike = resemblesDomain(slug, siteDomain) || resemblesDomain(slug, organizationKey(name));
  const isMarked = evidence.some(({ technique }) => isStructured(technique));
  return (isAlike ? 2 : 0) + (isMarked ? 3 : 0) + Math.min(1, pagesOf(evidence) / 10);
}

/** The last part of a profile's URL. */
function slugOf(profile: string): string {
  const url = profile.replace(/\/$/, '');
  return decodeURIComponent(url.slice(url.lastIndexOf('/') + 1));
}

function pagesOf(evidence: Evidenced['evidence']): number {
  return new Set(evidence.map(({ url }) => url)).size;
}

/** The site's home page, with the cards that name it as evidence. */
function homeOf(
  pages: readonly ExtractedPage[],
  named: Evidenced | null,
  siteDomain: string,
): Evidenced {
  const url = pages[0]?.url ?? `https://${siteDomain}/`;
  const isNamed = named !== null && registrableDomain(named.value) === siteDomain;
  return {
    value: new URL('/', url).href,
    evidence: isNamed ? named.evidence : [{ url, technique: 'meta' }],
  };
}

/** The metadata in a page's head describes only that page. */
function draftOfOwn(card: ContactCard, place: Parameters<typeof draftOfCard>[1]): LeadDraft {
  const draft = draftOfCard(card, place);
  return card.technique === 'meta' ? { ...draft, description: null } : draft;
}

/** The pages' own descriptions: that of the start page, or of the first page read. */
function describedBy(pages: readonly ExtractedPage[]): Evidenced | null {
  const home = pages.find(({ url }) => /^\/(?:index\.\w+)?$/.test(URL.parse(url)?.pathname ?? ''));
  for (const { url, cards } of [home, pages[0]].filter((page) => page !== undefined)) {
    const card = cards.find(({ technique, description }) => technique === 'meta' && description);
    if (card?.description)
      return { value: card.description, evidence: [{ url, technique: 'meta' }] };
  }
  return null;
}
