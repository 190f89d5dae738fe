import { canonicalProfile } from '#src/leads/extract/canonical-profile.ts';
import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import { personNameKey } from '#src/leads/extract/person-name.ts';
import { withoutSalutation } from '#src/leads/extract/salutation.ts';
import { contactsOf, mapContacts, withContacts } from './draft-contacts.ts';
import type { Evidence, Evidenced, LeadDraft } from './lead-draft.ts';
import { organizationKey } from '#src/leads/extract/organization-key.ts';
import { splitEmployer } from './split-employer.ts';
import { bestTrust } from './trust.ts';

const MAX_EVIDENCE = 50;
const MAX_VALUES = 20;

/** A draft that knows only which site it belongs to. */
export function emptyDraft(kind: LeadDraft['kind'], siteDomain: string): LeadDraft {
  return {
    kind,
    name: null,
    title: null,
    company: null,
    emails: [],
    phones: [],
    linkedin: [],
    twitter: [],
    otherSocials: { facebook: [], instagram: [] },
    website: null,
    description: null,
    address: null,
    emailPattern: null,
    siteDomain,
    foundOn: null,
  };
}

/** What one card states about a person or an organisation, each value with its evidence. */
export function draftOfCard(
  card: ContactCard,
  { kind, url, siteDomain }: { kind: LeadDraft['kind']; url: string; siteDomain: string },
): LeadDraft {
  const evidence = [{ url, technique: card.technique }];
  const one = (value: string | null): Evidenced | null => (value ? { value, evidence } : null);
  const all = (values: readonly string[]): Evidenced[] =>
    [...new Set(values)].map((value) => ({ value, evidence }));
  const profiles = card.profiles.flatMap((profile) => canonicalProfile(profile) ?? []);
  // Personal profiles belong only to persons, and company profiles only to organisations.
  const own = profiles.filter((profile) => profile.kind === kind || profile.kind === 'unknown');
  const inNetwork = (network: string): Evidenced[] =>
    all(own.filter((profile) => profile.network === network).map((profile) => profile.url));
  const { title, company } = splitEmployer(card.title, card.company);
  return {
    kind,
    name: one(kind === 'person' && card.name ? withoutSalutation(card.name) : card.name),
    title: one(title),
    company: one(company),
    emails: all(card.emails),
    phones: all(card.phones),
    linkedin: inNetwork('linkedin'),
    twitter: inNetwork('twitter'),
    otherSocials: { facebook: inNetwork('facebook'), instagram: inNetwork('instagram') },
    website: one(card.website),
    description: one(card.description),
    address: card.address && { ...card.address, evidence },
    emailPattern: null,
    siteDomain,
    foundOn: null,
  };
}

/** Merges several drafts about the same person or organisation: all values, the best first, with all evidence. */
export function joinDrafts(drafts: readonly LeadDraft[]): LeadDraft {
  const [first] = drafts;
  if (!first) throw new Error('There is nothing to join.');
  if (drafts.length === 1) return first;
  const contacts = mapContacts((field) =>
    joinValues(drafts.flatMap((draft) => contactsOf(draft)[field])).slice(0, MAX_VALUES),
  );
  const best = (
    field: 'name' | 'title' | 'company' | 'website' | 'description',
    key: (value: string) => string,
  ): Evidenced | null =>
    joinValues(
      drafts.flatMap((draft) => draft[field] ?? []),
      key,
    )[0] ?? null;
  // What a site says about itself outranks what others list.
  const { siteDomain, foundOn } = drafts.find((draft) => draft.foundOn === null) ?? first;
  const joined: LeadDraft = {
    ...first,
    siteDomain,
    foundOn,
    name: first.kind === 'person' ? fullestName(drafts) : best('name', organizationKey),
    title: best('title', plainKey),
    company: best('company', organizationKey),
    website: best('website', (value) => value),
    description: best('description', plainKey),
    address: joinAddresses(drafts.flatMap(({ address }) => address ?? [])),
    emailPattern: drafts.find(({ emailPattern }) => emailPattern)?.emailPattern ?? null,
  };
  return withContacts(joined, contacts);
}

/** "Jane Doe" before "J. Doe" and "Jane", whatever the source; then the most trusted. */
function fullestName(drafts: readonly LeadDraft[]): Evidenced | null {
  const fullness = ({ value }: Evidenced): number => {
    const words = personNameKey(value).split(' ');
    return (words.length > 1 ? 2 : 0) + ((words[0] ?? '').length > 1 ? 1 : 0);
  };
  const names = joinValues(
    drafts.flatMap(({ name }) => name ?? []),
    personNameKey,
  );
  return names.toSorted((a, b) => fullness(b) - fullness(a))[0] ?? null;
}

/**
 * Each value once with all its evidence; ordered by trust, then by amount of evidence, then by arrival. Values with
 * the same key are merged, keeping the most trusted spelling.
 */
export function joinValues(
  values: readonly Evidenced[],
  keyOf: (value: string) => string = (value) => value,
): Evidenced[] {
  const groups = Map.groupBy(values, ({ value }) => keyOf(value));
  return [...groups.values()]
    .map((group) => ({
      value: group.reduce((a, b) => (trustIn(b) > trustIn(a) ? b : a)).value,
      evidence: joinEvidence(group.flatMap(({ evidence }) => evidence)),
    }))
    .toSorted((a, b) => trustIn(b) - trustIn(a) || b.evidence.length - a.evidence.length);
}

function joinEvidence(evidence: readonly Evidence[]): Evidence[] {
  const once = new Map(evidence.map((one) => [`${one.technique} ${one.url}`, one]));
  return [...once.values()].slice(0, MAX_EVIDENCE);
}

function trustIn({ evidence }: Evidenced): number {
  return bestTrust(evidence);
}

function plainKey(value: string): string {
  return value
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

type EvidencedAddress = NonNullable<LeadDraft['address']>;

/** The address with the most parts, and the evidence of those that agree with it. */
function joinAddresses(addresses: readonly EvidencedAddress[]): EvidencedAddress | null {
  const [best] = addresses.toSorted((a, b) => partsOf(b).length - partsOf(a).length);
  if (!best) return null;
  const whole = new Set(partsOf(best).map(plainKey));
  const same = addresses.filter((one) => partsOf(one).every((part) => whole.has(plainKey(part))));
  return { ...best, evidence: joinEvidence(same.flatMap(({ evidence }) => evidence)) };
}

function partsOf(address: EvidencedAddress): string[] {
  const { street, postalCode, locality, region, country } = address;
  return [street, postalCode, locality, region, country].filter((part) => part !== '');
}
