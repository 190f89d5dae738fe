import { isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import {
  addressForms,
  handleForms,
  localPartOf,
  nameMatchesAddress,
} from '#src/leads/extract/name-matches-address.ts';
import { draftOfCard, joinDrafts, joinValues } from './join-drafts.ts';
import type { Evidenced, LeadDraft } from './lead-draft.ts';
import type { PlacedCard } from './own-organization.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

const FIELDS = ['emails', 'phones', 'linkedin', 'twitter'] as const;
type Field = (typeof FIELDS)[number];

/** Contacts on pages that do not state their owner. */
export type LooseContacts = Record<Field, Evidenced[]>;

/**
 * Assigns loose contacts on the pages to persons: as further evidence for known values, and addresses and profiles
 * that match exactly one person's name. The rest stays loose. A personal address claimed by several persons stays
 * with those whose name it contains.
 */
export function givePageContacts(
  persons: readonly LeadDraft[],
  cards: readonly PlacedCard[],
  siteDomain: string,
): { persons: LeadDraft[]; rest: LooseContacts } {
  const { kept, released } = releaseShared(persons);
  const loose = collect(cards, siteDomain);
  loose.emails = joinValues([...loose.emails, ...released]);
  const owners = ownersOf(kept);
  const byForm = byAddressForm(kept);
  const gifts = new Map<number, LooseContacts>();
  const rest = noContacts();
  const soleProfile = onlyProfile(kept, loose);
  for (const field of FIELDS) {
    for (const found of loose[field]) {
      const owning = owners[field].get(found.value) ?? [];
      const isSoleProfile = field === 'linkedin' && found.value === soleProfile;
      const uniqueOwner =
        owning.length > 0 ? null : isSoleProfile ? 0 : uniqueOwnerOf(field, found.value, byForm);
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
    persons: kept.map((person, index) => bestFirst(receive(person, gifts.get(index)))),
    rest,
  };
}

/** A role address, or a number in a place where the person does not appear, does not belong to one person. */
function belongsToOrganization(
  field: Field,
  { value, evidence }: Evidenced,
  person: LeadDraft,
): boolean {
  if (field === 'emails') return isRoleAddress(value);
  if (field !== 'phones') return false;
  const own = person.phones.find((phone) => phone.value === value)?.evidence ?? [];
  return evidence.some(({ url }) => !own.some((one) => one.url === url));
}

/** The only personal profile of a site with only one person. */
function onlyProfile(persons: readonly LeadDraft[], { linkedin }: LooseContacts): string | null {
  const [only, ...others] = persons;
  const [profile, ...more] = linkedin.filter(({ value }) => value.includes('/in/'));
  if (!only || others.length + more.length + only.linkedin.length > 0) return null;
  return profile?.value ?? null;
}

function noContacts(): LooseContacts {
  return { emails: [], phones: [], linkedin: [], twitter: [] };
}

/** Company profiles on loose cards belong to the organisation, personal ones may belong to a person. */
function collect(cards: readonly PlacedCard[], siteDomain: string): LooseContacts {
  const contacts = noContacts();
  for (const { card, url } of cards) {
    for (const kind of ['person', 'organization'] as const) {
      const draft = draftOfCard(card, { kind, url, siteDomain });
      contacts.linkedin.push(...draft.linkedin);
      if (kind === 'organization') continue;
      contacts.emails.push(...draft.emails);
      contacts.phones.push(...draft.phones);
      contacts.twitter.push(...draft.twitter);
    }
  }
  for (const field of FIELDS) contacts[field] = joinValues(contacts[field]);
  return contacts;
}

/** Removes shared addresses from persons whose name they do not contain. */
function releaseShared(persons: readonly LeadDraft[]): {
  kept: LeadDraft[];
  released: Evidenced[];
} {
  const counts = new Map<string, number>();
  for (const { emails } of persons) {
    for (const { value } of emails) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const released: Evidenced[] = [];
  const kept = persons.map((person) => {
    const isOwn = ({ value }: Evidenced): boolean =>
      counts.get(value) === 1 ||
      (!isRoleAddress(value) &&
        person.name !== null &&
        nameMatchesAddress(person.name.value, value));
    released.push(...person.emails.filter((email) => !isOwn(email)));
    return { ...person, emails: person.emails.filter(isOwn) };
  });
  return { kept, released };
}

function ownersOf(persons: readonly LeadDraft[]): Record<Field, Map<string, number[]>> {
  const owners = {
    emails: new Map<string, number[]>(),
    phones: new Map<string, number[]>(),
    linkedin: new Map<string, number[]>(),
    twitter: new Map<string, number[]>(),
  };
  for (const [index, person] of persons.entries()) {
    for (const field of FIELDS) {
      for (const { value } of person[field]) {
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
  field: Field,
  value: string,
  byForm: ReadonlyMap<string, ReadonlySet<number>>,
): number | null {
  const handle = handleOf(field, value);
  if (handle === null) return null;
  const matching = new Set(handleForms(handle).flatMap((form) => [...(byForm.get(form) ?? [])]));
  const [only] = matching;
  return only !== undefined && matching.size === 1 ? only : null;
}

function handleOf(field: Field, value: string): string | null {
  switch (field) {
    case 'emails':
      return isRoleAddress(value) ? null : localPartOf(value);
    case 'phones':
      return null;
    case 'linkedin':
      return /\/in\/([^/]+)$/.exec(value)?.[1] ?? null;
    case 'twitter':
      return /\/([^/]+)$/.exec(value)?.[1] ?? null;
  }
}

function receive(person: LeadDraft, gift: LooseContacts | undefined): LeadDraft {
  return gift
    ? joinDrafts([person, { ...person, name: null, title: null, company: null, ...gift }])
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
