import { canonicalProfile } from '#src/leads/extract/canonical-profile.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { emailsOfPerson, phonesOfPerson } from './lead-site-label.ts';
import type { LeadSite } from './read-lead-sites.ts';
import type { Tally } from './score-labelled-leads.ts';
import type { VisitedLeadSite } from './visit-lead-site.ts';

export const SITE_FIELDS = [
  'email',
  'phone',
  'person',
  'member',
  'organization',
  'other socials',
  'state',
] as const;
export type SiteField = (typeof SITE_FIELDS)[number];

export interface LeadSiteScore {
  tallies: Record<SiteField, Tally>;
  /** Contacts given to an organisation or person that they do not belong to. */
  wrongOwners: number;
  /** One line per miss. */
  misses: string[];
}

/**
 * Compares the leads of a visit with the labels of the site. An address or number counts once per site, whichever lead
 * has it; its owner is scored separately.
 */
export function scoreLeadSite(site: LeadSite, visited: VisitedLeadSite): LeadSiteScore {
  const { leads } = visited;
  const wrong = wrongOwnersOf(site, leads);
  const owners = entitiesOf(site);
  const compared: Record<SiteField, Compared> = {
    email: compare(
      owners.flatMap(({ emails }) => emails),
      valuesOf(leads, 'emails'),
    ),
    phone: compare(
      owners.flatMap(({ phones }) => phones),
      valuesOf(leads, 'phones'),
    ),
    person: compare(
      owners.filter(({ kind }) => kind === 'person').map(({ names }) => keyOf(names[0])),
      leads.filter(({ kind }) => kind === 'person').map((lead) => entityName(site, lead)),
    ),
    member: compare(
      owners.filter(({ kind }) => kind === 'member').map(({ names }) => keyOf(names[0])),
      leads
        .filter(({ kind, foundOn }) => kind === 'organization' && foundOn !== null)
        .map((lead) => entityName(site, lead)),
    ),
    organization: compare(
      site.organization === null ? [] : [keyOf(site.organization.names[0])],
      leads
        .filter(({ kind, foundOn }) => kind === 'organization' && foundOn === null)
        .map((lead) => hostName(site, lead)),
    ),
    'other socials': compare(
      site.organization === null
        ? []
        : [site.organization.facebook, site.organization.instagram]
            .filter((url) => url !== null)
            // Labels have them as the site links to them.
            .map((url) => canonicalProfile(url)?.url ?? url),
      leads.flatMap(({ otherSocials: { facebook, instagram } }) =>
        [...facebook, ...instagram].map(({ value }) => value),
      ),
    ),
    state: compare([site.expected_state], [visited.state]),
  };
  const lines = SITE_FIELDS.flatMap((field) => [
    ...compared[field].missed.map((key) => `${site.id}: missed ${field} ${key}`),
    ...compared[field].wrong.map((key) => `${site.id}: wrong ${field} ${key}`),
  ]);
  return {
    tallies: tallied(compared),
    wrongOwners: wrong.length,
    misses: [...lines, ...wrong.map((line) => `${site.id}: wrong owner ${line}`)],
  };
}

/** A labelled person or organisation, with all its contacts. */
interface Entity {
  kind: 'host' | 'person' | 'member';
  names: string[];
  domain: string | null;
  emails: string[];
  phones: string[];
  /** The organisation of a person. */
  at: Entity | null;
}

function entitiesOf(site: LeadSite): Entity[] {
  const { organization, persons, members } = site;
  const host: Entity = {
    kind: 'host',
    names: organization?.names ?? [],
    domain: registrableDomain(site.host),
    emails: organization?.emails ?? [],
    phones: organization?.phones ?? [],
    at: null,
  };
  const ofMembers = members.flatMap((member) => {
    const { names, domain, emails, phones } = member;
    const entity: Entity = { kind: 'member', names, domain, emails, phones, at: null };
    return [entity, ...member.persons.map((person) => personOf(person, entity))];
  });
  return [host, ...persons.map((person) => personOf(person, host)), ...ofMembers];
}

function personOf(person: LeadSite['persons'][number], at: Entity): Entity {
  return {
    kind: 'person',
    names: person.names,
    domain: at.domain,
    emails: emailsOfPerson(person),
    phones: phonesOfPerson(person),
    at,
  };
}

/** The labelled entity that a lead is about. */
function entityOf(entities: readonly Entity[], lead: LeadDraft): Entity | undefined {
  return entitiesNamed(entities, lead)[0];
}

/** As `entityOf`; a person who is on the board and has a listed firm is labelled twice. */
function entitiesNamed(entities: readonly Entity[], lead: LeadDraft): Entity[] {
  const name = keyOf(lead.name?.value);
  const isNamed = ({ names }: Entity): boolean => names.some((one) => keyOf(one) === name);
  if (lead.kind === 'person') {
    return entities.filter((one) => one.kind === 'person' && isNamed(one));
  }
  if (lead.foundOn === null) return entities.filter(({ kind }) => kind === 'host');
  const members = entities.filter(({ kind }) => kind === 'member');
  const domains = [lead.siteDomain, registrableDomain(lead.website?.value ?? '')];
  const named = members.filter(isNamed);
  if (named.length > 0) return named;
  return members.filter(({ domain }) => domain !== null && domains.includes(domain));
}

function entityName(site: LeadSite, lead: LeadDraft): string {
  return keyOf(entityOf(entitiesOf(site), lead)?.names[0] ?? lead.name?.value);
}

/** Replaces a correct name by the label's first spelling. */
function hostName({ organization }: LeadSite, { name }: LeadDraft): string {
  const isRight = organization?.names.some((one) => keyOf(one) === keyOf(name?.value)) === true;
  return keyOf(isRight ? organization?.names[0] : name?.value);
}

/**
 * Labelled contacts at a lead that is neither their owner, nor the organisation of the person who owns them, nor the
 * only person of the organisation that owns them.
 */
function wrongOwnersOf(site: LeadSite, leads: readonly LeadDraft[]): string[] {
  const entities = entitiesOf(site);
  return leads.flatMap((lead) => {
    const holders = entitiesNamed(entities, lead);
    const values = [...lead.emails, ...lead.phones].map(({ value }) => value);
    return values.flatMap((value) => {
      const owners = entities.filter(({ emails, phones }) =>
        [...emails, ...phones].includes(value),
      );
      const isRight =
        owners.length === 0 ||
        owners.some((owner) => holders.some((holder) => mayStandAt(owner, holder, entities)));
      return isRight ? [] : [`${value} at ${lead.name?.value ?? '(no name)'}`];
    });
  });
}

function mayStandAt(owner: Entity, holder: Entity, entities: readonly Entity[]): boolean {
  if (owner === holder || owner.at === holder) return true;
  const colleagues = entities.filter(({ at }) => at === owner);
  return holder.at === owner && colleagues.length === 1;
}

interface Compared {
  right: number;
  missed: string[];
  wrong: string[];
}

function compare(expected: readonly string[], found: readonly string[]): Compared {
  const [left, met] = [new Set(expected), new Set(found)];
  return {
    right: left.intersection(met).size,
    missed: [...left.difference(met)],
    wrong: [...met.difference(left)],
  };
}

function tallied(compared: Record<SiteField, Compared>): Record<SiteField, Tally> {
  const entries = SITE_FIELDS.map((field) => {
    const { right, missed, wrong } = compared[field];
    return [field, { expected: right + missed.length, found: right + wrong.length, right }];
  });
  return Object.fromEntries(entries) as Record<SiteField, Tally>; // every field has its entry
}

function valuesOf(leads: readonly LeadDraft[], field: 'emails' | 'phones'): string[] {
  return leads.flatMap((lead) => lead[field].map(({ value }) => value));
}

function keyOf(text: string | undefined): string {
  return (text ?? '(no name)').normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase();
}
