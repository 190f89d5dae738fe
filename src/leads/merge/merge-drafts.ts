import { contactsOf, mapContacts, withContacts } from './draft-contacts.ts';
import { joinDrafts } from './join-drafts.ts';
import { type LeadDraft, visitedDomainOf } from './lead-draft.ts';
import { mergePersons } from './merge-persons.ts';
import { organizationKey } from '#src/leads/extract/organization-key.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

/**
 * Merges the leads of several sites. An organisation with two sites is recognized by its LinkedIn page, or by a name
 * and an address on both sites; a listed member by its own site, if that was visited too. Each keeps its first
 * position.
 */
export function mergeDrafts(drafts: readonly LeadDraft[]): LeadDraft[] {
  const organizations: LeadDraft[] = [];
  const places = new Map<string, number>();
  for (const draft of drafts.filter(({ kind }) => kind === 'organization')) {
    const keys = keysOf(draft);
    const at = keys.map((key) => places.get(key)).find((place) => place !== undefined);
    const known = at === undefined ? undefined : organizations[at];
    const place = at ?? organizations.length;
    organizations[place] = known ? joinOrganizations(known, draft) : draft;
    for (const key of keys) if (!places.has(key)) places.set(key, place);
  }
  const persons = mergePersons(drafts.filter(({ kind }) => kind === 'person'));
  const order = new Map([...new Set(drafts.map(visitedDomainOf))].map((site, at) => [site, at]));
  const merged = [...organizations, ...persons];
  return merged.toSorted(
    (a, b) => (order.get(visitedDomainOf(a)) ?? 0) - (order.get(visitedDomainOf(b)) ?? 0),
  );
}

function keysOf({ siteDomain, foundOn, linkedin, emails, name }: LeadDraft): string[] {
  const nameKey = name ? organizationKey(name.value) : '';
  const [profile] = linkedin;
  // Listed organisations without a site of their own are distinguished by name.
  const keys =
    foundOn === siteDomain ? [`member ${siteDomain} ${nameKey}`] : [`site ${siteDomain}`];
  if (nameKey === '') return keys;
  if (profile) keys.push(`profile ${profile.value} ${nameKey}`);
  for (const { value } of emails) {
    const domain = registrableDomain(value.slice(value.lastIndexOf('@') + 1));
    if (domain !== null) keys.push(`email ${value} ${nameKey}`);
  }
  return keys;
}

/** The first draft's best values stay first. */
function joinOrganizations(first: LeadDraft, other: LeadDraft): LeadDraft {
  const joined = joinDrafts([first, other]);
  const [own, others, all] = [contactsOf(first), contactsOf(other), contactsOf(joined)];
  const ordered = mapContacts((field) => {
    const order = [...own[field], ...others[field]].map(({ value }) => value);
    return all[field].toSorted((a, b) => order.indexOf(a.value) - order.indexOf(b.value));
  });
  return {
    ...withContacts(joined, ordered),
    name: first.name ?? joined.name,
    website: first.website ?? joined.website,
    // Its own site is a better source than a list.
    foundOn: first.foundOn === null || other.foundOn === null ? null : first.foundOn,
  };
}
