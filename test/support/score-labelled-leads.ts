import type { Evidenced, LeadDraft } from '#src/leads/merge/lead-draft.ts';
import type { LabelledPerson, LabelledSite } from './labelled-leads.ts';

/** The compared fields. `person facts` are addresses, numbers and profiles with the person they belong to. */
export const SCORED_FIELDS = [
  'email',
  'phone',
  'linkedin',
  'twitter',
  'socials',
  'name-title-mail',
  'person facts',
  'organization',
] as const;
export type ScoredField = (typeof SCORED_FIELDS)[number];

export interface Tally {
  expected: number;
  found: number;
  right: number;
}

export interface SiteScore {
  tallies: Record<ScoredField, Tally>;
  /** One line each, prefixed with the field. */
  misses: string[];
  falseFinds: string[];
}

export interface Quality {
  precision: number;
  recall: number;
  f1: number;
}

/** Compares the leads of one site with its labels. A value counts once per site, whichever lead has it. */
export function scoreSite(site: LabelledSite, leads: readonly LeadDraft[]): SiteScore {
  const people = leads.filter(({ kind }) => kind === 'person');
  const values = {
    email: 'emails',
    phone: 'phones',
    linkedin: 'linkedin',
    twitter: 'twitter',
  } as const;
  const owners = [site.organization, ...site.persons].filter((owner) => owner !== null);
  const linkedin = compare(
    keysOf(owners.map((owner) => owner.linkedin)),
    draftKeys(leads, values.linkedin),
  );
  const twitter = compare(
    keysOf(owners.map((owner) => owner.twitter)),
    draftKeys(leads, values.twitter),
  );
  const emails = owners.flatMap((owner) => ('emails' in owner ? owner.emails : [owner.email]));
  const phones = owners.flatMap((owner) => ('phones' in owner ? owner.phones : [owner.phone]));
  const compared: Record<ScoredField, Compared> = {
    email: compare(keysOf(emails), draftKeys(leads, values.email)),
    phone: compare(keysOf(phones), draftKeys(leads, values.phone)),
    linkedin,
    twitter,
    socials: {
      right: [...linkedin.right, ...twitter.right],
      missed: [...linkedin.missed, ...twitter.missed],
      wrong: [...linkedin.wrong, ...twitter.wrong],
    },
    'name-title-mail': compare(
      site.persons.map((person) => groupKey(person.names[0], person.titles[0], person.email)),
      people.map((lead) => draftGroupKey(site.persons, lead)),
    ),
    'person facts': compare(
      site.persons.flatMap((person) =>
        keysOf([person.email, person.phone, person.linkedin, person.twitter]).map(
          (value) => `${comparable(person.names[0])}: ${value}`,
        ),
      ),
      people.flatMap((lead) => draftPersonFacts(site.persons, lead)),
    ),
    organization: compare(
      site.organization === null ? [] : keysOf(site.organization.names.slice(0, 1)),
      leads.flatMap((lead) => draftOrganization(site, lead)),
    ),
  };
  return reported(site.id, compared);
}

export function addTallies(scores: readonly SiteScore[], field: ScoredField): Tally {
  const sum = { expected: 0, found: 0, right: 0 };
  for (const { tallies } of scores) {
    sum.expected += tallies[field].expected;
    sum.found += tallies[field].found;
    sum.right += tallies[field].right;
  }
  return sum;
}

/** Precision is 1 when nothing was found, and recall is 1 when nothing was expected. */
export function qualityOf({ expected, found, right }: Tally): Quality {
  const precision = found === 0 ? 1 : right / found;
  const recall = expected === 0 ? 1 : right / expected;
  const f1 = expected + found === 0 ? 1 : (2 * right) / (expected + found);
  return { precision, recall, f1 };
}

interface Compared {
  right: string[];
  missed: string[];
  wrong: string[];
}

function compare(expected: readonly string[], found: readonly string[]): Compared {
  const left = [...expected];
  const result: Compared = { right: [], missed: left, wrong: [] };
  for (const key of found) {
    const at = left.indexOf(key);
    if (at === -1) result.wrong.push(key);
    else result.right.push(...left.splice(at, 1));
  }
  return result;
}

function reported(siteId: string, compared: Record<ScoredField, Compared>): SiteScore {
  const lines = (of: 'missed' | 'wrong'): string[] =>
    // Already counted in `linkedin` and `twitter`.
    SCORED_FIELDS.filter((field) => field !== 'socials').flatMap((field) =>
      compared[field][of].map((key) => `${field.padEnd(15)} ${siteId}: ${key}`),
    );
  const tally = (field: ScoredField): Tally => {
    const { right, missed, wrong } = compared[field];
    return {
      expected: right.length + missed.length,
      found: right.length + wrong.length,
      right: right.length,
    };
  };
  return {
    tallies: {
      email: tally('email'),
      phone: tally('phone'),
      linkedin: tally('linkedin'),
      twitter: tally('twitter'),
      socials: tally('socials'),
      'name-title-mail': tally('name-title-mail'),
      'person facts': tally('person facts'),
      organization: tally('organization'),
    },
    misses: lines('missed'),
    falseFinds: lines('wrong'),
  };
}

function draftKeys(
  leads: readonly LeadDraft[],
  field: 'emails' | 'phones' | 'linkedin' | 'twitter',
): string[] {
  return keysOf(leads.flatMap((lead) => lead[field].map(({ value }) => value)));
}

/** Uses the label's spelling where the lead's is equally right, so that equal keys mean equal people. */
function draftGroupKey(persons: readonly LabelledPerson[], lead: LeadDraft): string {
  const person = personOf(persons, lead.name);
  const title = lead.title?.value;
  const isRight = person?.titles.some((one) => comparable(one) === comparable(title));
  return groupKey(
    person?.names[0] ?? lead.name?.value,
    isRight === true ? person?.titles[0] : title,
    lead.emails[0]?.value,
  );
}

function draftPersonFacts(persons: readonly LabelledPerson[], lead: LeadDraft): string[] {
  const name = personOf(persons, lead.name)?.names[0] ?? lead.name?.value;
  const facts = [...lead.emails, ...lead.phones, ...lead.linkedin, ...lead.twitter];
  return facts.map(({ value }) => `${comparable(name)}: ${value.toLowerCase()}`);
}

/** A name without contact details counts only when it is the right one. */
function draftOrganization({ organization }: LabelledSite, lead: LeadDraft): string[] {
  if (lead.kind !== 'organization' || lead.name === null) return [];
  const name = comparable(lead.name.value);
  if (organization?.names.some((one) => comparable(one) === name) === true) {
    return [comparable(organization.names[0])];
  }
  const facts = [lead.emails, lead.phones, lead.linkedin, lead.twitter].flat();
  return facts.length === 0 ? [] : [name];
}

function personOf(
  persons: readonly LabelledPerson[],
  name: Evidenced | null,
): LabelledPerson | undefined {
  return persons.find(({ names }) =>
    names.some((one) => comparable(one) === comparable(name?.value)),
  );
}

function groupKey(
  name: string | undefined,
  title: string | undefined,
  email: string | null | undefined,
): string {
  return `${comparable(name)} | ${comparable(title)} | ${email ?? 'no mail'}`;
}

function keysOf(values: readonly (string | null)[]): string[] {
  const keys = values.filter((value) => value !== null).map((value) => comparable(value));
  return [...new Set(keys)];
}

function comparable(text: string | undefined): string {
  return (text ?? 'nothing').normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase();
}
