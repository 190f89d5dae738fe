import { isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import {
  addressForms,
  handleForms,
  hasWholeName,
  localPartOf,
  nameMatchesAddress,
} from '#src/leads/extract/name-matches-address.ts';
import {
  CONTACT_FIELDS,
  type ContactField,
  type Contacts,
  contactsOf,
  mapContacts,
  withContacts,
} from './draft-contacts.ts';
import { draftOfCard, joinDrafts, joinValues } from './join-drafts.ts';
import type { Evidenced, LeadDraft } from './lead-draft.ts';
import type { PlacedCard } from './own-organization.ts';
import { plainLetters } from '#src/leads/extract/role-lexicon.ts';
import { isStructured } from './trust.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

/** Letters that words of one stem have in common. */
const STEM = 4;
/** Of more persons than this, none is sought by name for each address. */
const MAX_NAMED = 200;

/**
 * Assigns loose contacts on the pages to persons: as further evidence for known values, and addresses and profiles
 * that match exactly one person's name. The rest stays loose. A personal address claimed by several persons stays
 * with those whose name it contains.
 */
export function givePageContacts(
  persons: readonly LeadDraft[],
  cards: readonly PlacedCard[],
  siteDomain: string,
): { persons: LeadDraft[]; rest: Contacts } {
  const { kept, released } = releaseShared(withoutOfficePhones(persons, cards));
  const loose = collect(cards, siteDomain);
  loose.emails = joinValues([...loose.emails, ...released]);
  const owners = ownersOf(kept);
  const byForm = byAddressForm(kept);
  const gifts = new Map<number, Contacts>();
  const rest = noContacts();
  const soleProfile = onlyProfile(kept, loose);
  for (const field of CONTACT_FIELDS) {
    for (const found of loose[field]) {
      const owning = owners[field].get(found.value) ?? [];
      const isSoleProfile = field === 'linkedin' && found.value === soleProfile;
      const uniqueOwner =
        owning.length > 0
          ? null
          : isSoleProfile
            ? 0
            : (uniqueOwnerOf(field, found.value, byForm) ?? namesakeOf(field, found.value, kept));
      const receivers = uniqueOwner === null ? owning : [uniqueOwner];
      for (const person of receivers) {
        const gift = gifts.get(person) ?? noContacts();
        gift[field].push(found);
        gifts.set(person, gift);
      }
      const [only] = receivers;
      const person = receivers.length === 1 && only !== undefined ? kept[only] : undefined;
      if (!person || belongsToOrganization(field, found, person)) rest[field].push(found);
    }
  }
  return {
    persons: kept.map((person, index) =>
      bestFirst(withoutSharedPhones(receive(person, gifts.get(index)), loose.phones)),
    ),
    rest,
  };
}

/** A role address, or a number in a place where the person does not appear, does not belong to one person. */
function belongsToOrganization(
  field: ContactField,
  { value, evidence }: Evidenced,
  person: LeadDraft,
): boolean {
  if (field === 'emails') return isRoleAddress(value);
  if (field !== 'phones') return false;
  const own = [
    ...(person.phones.find((phone) => phone.value === value)?.evidence ?? []),
    ...(person.name?.evidence ?? []),
  ];
  return evidence.some(({ url }) => !own.some((one) => one.url === url));
}

/** Drops the numbers of an office, which a page states together with its role address, from whoever answers there. */
function withoutOfficePhones(
  persons: readonly LeadDraft[],
  cards: readonly PlacedCard[],
): LeadDraft[] {
  const offices = cards.filter(({ card }) => card.emails.some(isRoleAddress));
  const numbers = new Set(offices.flatMap(({ card }) => card.phones));
  if (numbers.size === 0) return [...persons];
  return persons.map((person) => ({
    ...person,
    phones: person.phones.filter(
      ({ value, evidence }) => !numbers.has(value) || isStated(evidence),
    ),
  }));
}

/** Drops a number that pages without the person also have: that of the switchboard. */
function withoutSharedPhones(person: LeadDraft, loose: readonly Evidenced[]): LeadDraft {
  const own = new Set(person.name?.evidence.map(({ url }) => url));
  const elsewhere = new Set(
    loose
      .filter(({ evidence }) => evidence.some(({ url }) => !own.has(url)))
      .map(({ value }) => value),
  );
  const isOwn = ({ value, evidence }: Evidenced): boolean =>
    !elsewhere.has(value) || evidence.some(({ technique }) => isStructured(technique));
  return { ...person, phones: person.phones.filter(isOwn) };
}

/** The only personal profile of a site with only one person. */
function onlyProfile(persons: readonly LeadDraft[], { linkedin }: Contacts): string | null {
  const [only, ...others] = persons;
  const [profile, ...more] = linkedin.filter(({ value }) => value.includes('/in/'));
  if (!only || others.length + more.length + only.linkedin.length > 0) return null;
  return profile?.value ?? null;
}

function noContacts(): Contacts {
  return mapContacts(() => []);
}

/** Company profiles on loose cards belong to the organisation, personal ones may belong to a person. */
function collect(cards: readonly PlacedCard[], siteDomain: string): Contacts {
  const contacts = noContacts();
  for (const { card, url } of cards) {
    for (const kind of ['person', 'organization'] as const) {
      const draft = draftOfCard(card, { kind, url, siteDomain });
      contacts.linkedin.push(...draft.linkedin);
      if (kind === 'organization') continue;
      const own = contactsOf(draft);
      for (const field of CONTACT_FIELDS) {
        if (field !== 'linkedin') contacts[field].push(...own[field]);
      }
    }
  }
  for (const field of CONTACT_FIELDS) contacts[field] = joinValues(contacts[field]);
  return contacts;
}

/**
 * Removes shared addresses from persons whose name they do not contain, and addresses of an office that is not
 * theirs: `franchise@` beside a head of development is the organisation's, `treasurer@` beside the treasurer is not.
 */
function releaseShared(persons: readonly LeadDraft[]): {
  kept: LeadDraft[];
  released: Evidenced[];
} {
  const counts = new Map<string, number>();
  for (const { emails } of persons) {
    for (const { value } of emails) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const byForm = byAddressForm(persons);
  const released: Evidenced[] = [];
  const kept = persons.map((person, index) => {
    const isOthers = (email: string): boolean =>
      (uniqueOwnerOf('emails', email, byForm) ?? index) !== index;
    const isOwn = ({ value, evidence }: Evidenced): boolean =>
      (counts.get(value) === 1 &&
        (isStated(evidence) || (!isOthers(value) && isOfRole(value, person.title)))) ||
      (!isRoleAddress(value) &&
        person.name !== null &&
        nameMatchesAddress(person.name.value, value));
    released.push(...person.emails.filter((email) => !isOwn(email)));
    return { ...person, emails: person.emails.filter(isOwn) };
  });
  return { kept, released };
}

function isStated(evidence: Evidenced['evidence']): boolean {
  return evidence.some(({ technique }) => isStructured(technique) || technique === 'script-json');
}

/** Whether an address is personal, or that of the person's role: `gerencia@` of the "Gerente". */
function isOfRole(email: string, title: Evidenced | null): boolean {
  if (!isRoleAddress(email)) return true;
  const words = plainLetters(title?.value ?? '').match(/[\p{L}\p{N}]+/gu) ?? [];
  const parts = localPartOf(email).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => parts.some((part) => haveOneStem(word, part)));
}

function haveOneStem(one: string, other: string): boolean {
  if (one === other) return true;
  return one.length >= STEM && one.slice(0, STEM) === other.slice(0, STEM);
}

function ownersOf(persons: readonly LeadDraft[]): Record<ContactField, Map<string, number[]>> {
  const owners: Record<ContactField, Map<string, number[]>> = {
    emails: new Map(),
    phones: new Map(),
    linkedin: new Map(),
    twitter: new Map(),
    facebook: new Map(),
    instagram: new Map(),
  };
  for (const [index, person] of persons.entries()) {
    const contacts = contactsOf(person);
    for (const field of CONTACT_FIELDS) {
      for (const { value } of contacts[field]) {
        const known = owners[field].get(value);
        if (known) known.push(index);
        else owners[field].set(value, [index]);
      }
    }
  }
  return owners;
}

/** The persons who may own an address, judging by its form. */
function byAddressForm(persons: readonly LeadDraft[]): Map<string, Set<number>> {
  const byForm = new Map<string, Set<number>>();
  for (const [index, { name }] of persons.entries()) {
    for (const form of name ? addressForms(name.value) : []) {
      byForm.set(form, (byForm.get(form) ?? new Set()).add(index));
    }
  }
  return byForm;
}

/** The only person whose name a value contains, or null. */
function uniqueOwnerOf(
  field: ContactField,
  value: string,
  byForm: ReadonlyMap<string, ReadonlySet<number>>,
): number | null {
  const handle = handleOf(field, value);
  if (handle === null) return null;
  const matching = new Set(handleForms(handle).flatMap((form) => [...(byForm.get(form) ?? [])]));
  const [only] = matching;
  return only !== undefined && matching.size === 1 ? only : null;
}

/** The only person whose first name and surname are parts of an address. */
function namesakeOf(
  field: ContactField,
  value: string,
  persons: readonly LeadDraft[],
): number | null {
  if (field !== 'emails' || persons.length > MAX_NAMED || isRoleAddress(value)) return null;
  const local = localPartOf(value);
  const matching = persons.flatMap(({ name }, index) =>
    name !== null && hasWholeName(name.value, local) ? [index] : [],
  );
  return matching.length === 1 ? (matching[0] ?? null) : null;
}

function handleOf(field: ContactField, value: string): string | null {
  switch (field) {
    case 'emails':
      return isRoleAddress(value) ? null : localPartOf(value);
    case 'phones':
      return null;
    case 'linkedin':
      return /\/in\/([^/]+)$/.exec(value)?.[1] ?? null;
    case 'twitter':
    case 'facebook':
    case 'instagram':
      return /\/([^/]+)\/?$/.exec(value)?.[1] ?? null;
  }
}

function receive(person: LeadDraft, gift: Contacts | undefined): LeadDraft {
  return gift
    ? joinDrafts([
        person,
        withContacts({ ...person, name: null, title: null, company: null }, gift),
      ])
    : person;
}

/** Addresses with the person's name first, then those of the site, then others; role addresses last. */
function bestFirst(person: LeadDraft): LeadDraft {
  const worth = ({ value }: Evidenced): number =>
    (person.name && nameMatchesAddress(person.name.value, value) ? 2 : 0) +
    (registrableDomain(value.slice(value.lastIndexOf('@') + 1)) === person.siteDomain ? 1 : 0) -
    (isRoleAddress(value) ? 4 : 0);
  return { ...person, emails: person.emails.toSorted((a, b) => worth(b) - worth(a)) };
}
