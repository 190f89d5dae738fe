import { expect, test } from 'vitest';
import type { Evidenced, LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { type LabelledSite, readLabelledSites } from '#test/support/labelled-leads.ts';
import {
  addTallies,
  qualityOf,
  SCORED_FIELDS,
  scoreSite,
} from '#test/support/score-labelled-leads.ts';

const sites = readLabelledSites();

test('the labels themselves score 1 in every field', () => {
  const scores = sites.map((site) => scoreSite(site, leadsOf(site)));
  for (const field of SCORED_FIELDS) {
    const tally = addTallies(scores, field);
    expect(tally.expected).toBeGreaterThan(10);
    expect(qualityOf(tally)).toEqual({ precision: 1, recall: 1, f1: 1 });
  }
  expect(scores.flatMap(({ misses, falseFinds }) => [...misses, ...falseFinds])).toEqual([]);
});

test('an empty result has no recall, but no errors either', () => {
  const scores = sites.map((site) => scoreSite(site, []));
  for (const field of SCORED_FIELDS) {
    expect(qualityOf(addTallies(scores, field))).toEqual({ precision: 1, recall: 0, f1: 0 });
  }
});

test('an address assigned to the wrong person costs the group, not the address', () => {
  const { site, leads, people } = siteWithPeople();
  const [one, other] = people;
  if (one === undefined || other === undefined) throw new Error('A labelled site has two people.');
  [one.emails, other.emails] = [other.emails, one.emails];
  const { tallies, misses } = scoreSite(site, leads);
  expect(qualityOf(tallies.email).f1).toBe(1);
  expect(tallies['name-title-mail'].right).toBe(people.length - 2);
  expect(tallies['person facts'].right).toBe(tallies['person facts'].expected - 2);
  expect(misses).toHaveLength(4);
});

test('an invented person, a stranger’s address and a company alias are distinguished', () => {
  const { site, leads, people } = siteWithPeople();
  const stranger = draft('person', 'Nobody Invented');
  stranger.emails = evidenced(['nobody@else.test']);
  const { tallies, falseFinds } = scoreSite(site, [...leads, stranger]);
  expect(tallies['name-title-mail'].found).toBe(people.length + 1);
  expect(tallies.email.found).toBe(tallies.email.expected + 1);
  expect(falseFinds).toHaveLength(3);

  const renamed = leads.map((lead) => {
    const name = site.organization?.names.at(-1)?.toUpperCase() ?? null;
    return lead.kind === 'person' ? lead : { ...lead, name: evidencedOrNull(name) };
  });
  expect(scoreSite(site, renamed).tallies.organization).toEqual({
    expected: 1,
    found: 1,
    right: 1,
  });
});

function siteWithPeople(): { site: LabelledSite; leads: LeadDraft[]; people: LeadDraft[] } {
  const site = sites.find(({ id }) => id === 'bergmann-dachbau');
  if (site === undefined) throw new Error('The labelled set has bergmann-dachbau.');
  const leads = leadsOf(site);
  return { site, leads, people: leads.filter(({ kind }) => kind === 'person') };
}

function leadsOf({ organization, persons }: LabelledSite): LeadDraft[] {
  const people = persons.map((person): LeadDraft => ({
    ...draft('person', person.names[0]),
    title: evidencedOrNull(person.titles[0]),
    emails: evidenced([person.email]),
    phones: evidenced([person.phone]),
    linkedin: evidenced([person.linkedin]),
    twitter: evidenced([person.twitter]),
  }));
  if (organization === null) return people;
  const lead: LeadDraft = {
    ...draft('organization', organization.names[0]),
    emails: evidenced(organization.emails),
    phones: evidenced(organization.phones),
    linkedin: evidenced([organization.linkedin]),
    twitter: evidenced([organization.twitter]),
  };
  return [lead, ...people];
}

function draft(kind: LeadDraft['kind'], name: string | undefined): LeadDraft {
  return {
    kind,
    name: evidencedOrNull(name),
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
    siteDomain: 'site.test',
    foundOn: null,
  };
}

function evidenced(values: readonly (string | null)[]): Evidenced[] {
  return values.flatMap((value) => evidencedOrNull(value) ?? []);
}

function evidencedOrNull(value: string | null | undefined): Evidenced | null {
  const evidence = [{ url: 'https://site.test/', technique: 'mailto' as const }];
  return value === null || value === undefined ? null : { value, evidence };
}
