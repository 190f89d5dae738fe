import { expect, test } from 'vitest';
import type { ScoredLead } from '#src/leads/merge/lead-draft.ts';
import { chooseLeads } from '#src/leads/scrapes/choose-leads.ts';
import { mostReachable } from '#src/leads/scrapes/reachability.ts';

const lead = (name: string, confidence: number, more: Partial<ScoredLead> = {}): ScoredLead => ({
  kind: 'person',
  name: { value: name, evidence: [] },
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
  siteDomain: 'acme.test',
  foundOn: null,
  emailStatus: null,
  confidence,
  ...more,
});
const reaching = (value: string) => [{ value, evidence: [] }];
const namesOf = (leads: readonly ScoredLead[], limit: number) =>
  chooseLeads(leads, [], limit).map((chosen) => chosen.lead.name?.value);

test('who can be reached comes before who is only known, however sure that is', () => {
  const leads = [
    lead('Known', 0.9),
    lead('Desk', 0.58, { emails: reaching('info@acme.test'), emailStatus: 'unknown' }),
    lead('Phone', 0.5, { phones: reaching('+442079460958') }),
    lead('Dead', 0.2, { emails: reaching('x@gone.test'), emailStatus: 'no_mx' }),
  ];
  expect(namesOf(leads, 4)).toEqual(['Desk', 'Phone', 'Known', 'Dead']);
  expect(namesOf(leads, 1)).toEqual(['Desk']);
});

test('sites take turns', () => {
  const leads = [
    lead('A1', 0.9, { phones: reaching('+442079460951') }),
    lead('A2', 0.8, { phones: reaching('+442079460952') }),
    lead('B1', 0.5, { phones: reaching('+442079460953'), siteDomain: 'other.test' }),
  ];
  expect(namesOf(leads, 2)).toEqual(['A1', 'B1']);
});

test('reachable leads of one site precede unreachable ones of another', () => {
  const leads = [
    lead('A1', 0.5, { phones: reaching('+442079460951') }),
    lead('A2', 0.5, { phones: reaching('+442079460952') }),
    lead('B1', 0.9, { siteDomain: 'other.test' }),
  ];
  expect(namesOf(leads, 2)).toEqual(['A1', 'A2']);
});

test('members use the turns of the site that lists them', () => {
  const members = ['M1', 'M2', 'M3'].map((name) =>
    lead(name, 0.9, {
      kind: 'organization',
      phones: reaching('+442079460951'),
      siteDomain: `${name}.test`,
      foundOn: 'guild.test',
    }),
  );
  const other = lead('Other', 0.5, { phones: reaching('+442079460953') });
  expect(namesOf([...members, other], 2)).toEqual(['M1', 'Other']);
});

test('two members without a site of their own keep their ids', () => {
  const stored = ['Kiln', 'Wheel'].map((name, at) => ({
    id: `id-${at}` as never, // any text will do
    site_ordinal: 0,
    lead: lead(name, 0.9, { kind: 'organization', siteDomain: 'g.test', foundOn: 'g.test' }),
  }));
  const merged = stored.map((row) => row.lead).toReversed();
  expect(chooseLeads(merged, stored, 5).map(({ id, lead: { name } }) => [name?.value, id])).toEqual(
    [
      ['Wheel', 'id-1'],
      ['Kiln', 'id-0'],
    ],
  );
});

test('when a site has too many names, unreachable ones are dropped first', () => {
  const drafts = [lead('A', 0.9), lead('B', 0.2, { emails: reaching('b@acme.test') })];
  expect(mostReachable(drafts, 1).map(({ name }) => name?.value)).toEqual(['B']);
  expect(mostReachable(drafts, 2).map(({ name }) => name?.value)).toEqual(['A', 'B']);
});
