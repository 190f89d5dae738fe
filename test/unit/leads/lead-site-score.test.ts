import { expect, test } from 'vitest';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { emptyDraft } from '#src/leads/merge/join-drafts.ts';
import type { LeadSite } from '#test/support/read-lead-sites.ts';
import { scoreLeadSite, type SiteField } from '#test/support/score-lead-sites.ts';

const person = (
  name: string,
  email: string | null,
  furtherEmails: string[] = [],
): LeadSite['persons'][number] => ({
  names: [name],
  titles: [],
  email,
  phone: null,
  further_emails: furtherEmails,
  further_phones: [],
  linkedin: null,
  twitter: null,
});

const SITE: LeadSite = {
  id: 'guild',
  kind: 'directory',
  split: 'dev',
  languages: ['en'],
  host: 'www.guild.example',
  start: '/',
  responses: { '/': { file: 'index.html' } },
  robots: null,
  organization: {
    names: ['Potters’ Guild', 'The Guild'],
    emails: ['info@guild.example'],
    phones: ['+442079460958'],
    linkedin: null,
    twitter: null,
    facebook: null,
    instagram: null,
  },
  persons: [
    person('Ada Hartley', 'ada@guild.example', ['ada@hartley.example']),
    person('Ben Okafor', null),
  ],
  members: [
    {
      names: ['Kiln Works'],
      domain: 'kiln.example',
      emails: ['hello@kiln.example'],
      phones: [],
      persons: [person('Carla Reyes', null)],
    },
  ],
  expected_state: 'partial',
  traps: [],
  files: new Map(),
};

function lead(kind: LeadDraft['kind'], name: string, more: Partial<LeadDraft> = {}): LeadDraft {
  return { ...emptyDraft(kind, 'guild.example'), name: { value: name, evidence: [] }, ...more };
}

const values = (...all: string[]) => all.map((value) => ({ value, evidence: [] }));
const guild = lead('organization', 'The Guild', {
  emails: values('info@guild.example'),
  phones: values('+442079460958'),
});
const kiln = lead('organization', 'Kiln Works', {
  foundOn: 'guild.example',
  siteDomain: 'kiln.example',
  emails: values('hello@kiln.example'),
});
const people = [
  lead('person', 'Ada Hartley', { emails: values('ada@guild.example', 'ada@hartley.example') }),
  lead('person', 'Ben Okafor'),
  lead('person', 'Carla Reyes', { foundOn: 'guild.example' }),
];

function score(leads: LeadDraft[], state: LeadSite['expected_state'] = 'partial') {
  const found = scoreLeadSite(SITE, { leads, state, pages: [] });
  const lost = (field: SiteField): number => {
    const { expected, right } = found.tallies[field];
    return expected - right;
  };
  return { ...found, lost };
}

test('the labels score themselves as complete and correct', () => {
  const { misses, wrongOwners, tallies } = score([guild, kiln, ...people]);
  expect({ misses, wrongOwners }).toEqual({ misses: [], wrongOwners: 0 });
  expect(tallies.person).toEqual({ expected: 3, found: 3, right: 3 });
});

test('a member’s address at the host is found, but with a wrong owner', () => {
  const greedy = { ...guild, emails: values('info@guild.example', 'hello@kiln.example') };
  const { wrongOwners, tallies, lost } = score([greedy, ...people]);
  expect(wrongOwners).toBe(1);
  expect(tallies.email).toEqual({ expected: 4, found: 4, right: 4 });
  expect(lost('member')).toBe(1);
});

test('a person’s address may be found at their organisation, but not the reverse, nor at a stranger', () => {
  const atHost = { ...guild, emails: values('info@guild.example', 'ada@guild.example') };
  expect(score([atHost]).wrongOwners).toBe(0);
  const ben = lead('person', 'Ben Okafor', { emails: values('info@guild.example') });
  const nobody = lead('person', 'Opening Hours', { emails: values('ada@guild.example') });
  expect(score([ben]).wrongOwners).toBe(1);
  expect(score([nobody]).wrongOwners).toBe(1);
});

test('an invented address, a stranger and a wrong state reduce precision and recall', () => {
  const { tallies, lost, misses } = score(
    [lead('person', 'Nobody', { emails: values('x@else.example') })],
    'done',
  );
  expect(tallies.email).toEqual({ expected: 4, found: 1, right: 0 });
  expect(lost('state')).toBe(1);
  expect(misses).toContain('guild: wrong state done');
});

test('a person who is labelled twice may have the contacts of either', () => {
  const twice: LeadSite = {
    ...SITE,
    members: SITE.members.map((member) => ({
      ...member,
      persons: [person('Ben Okafor', 'ben@kiln.example')],
    })),
  };
  const ben = lead('person', 'Ben Okafor', { emails: values('ben@kiln.example') });
  expect(
    scoreLeadSite(twice, { leads: [guild, ben], state: 'partial', pages: [] }).wrongOwners,
  ).toBe(0);
});
