import { expect, test } from 'vitest';
import type { ScoredLead } from '#src/leads/merge/lead-draft.ts';
import { chooseLeads } from '#src/leads/scrapes/choose-leads.ts';

const lead = (name: string, confidence: number, more: Partial<ScoredLead> = {}): ScoredLead => ({
  kind: 'person',
  name: { value: name, evidence: [] },
  title: null,
  company: null,
  emails: [],
  phones: [],
  linkedin: [],
  twitter: [],
  website: null,
  description: null,
  address: null,
  siteDomain: 'acme.test',
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
