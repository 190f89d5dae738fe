import { describe, expect, test } from 'vitest';
import { contactCard, type ContactCard } from '#src/leads/extract/contact-card.ts';
import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import { emptyDraft } from '#src/leads/merge/join-drafts.ts';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { mergeDrafts, mergeLeads } from '#src/leads/merge/merge-leads.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const page = (
  path: string,
  cards: ContactCard[],
  given: Partial<ExtractedPage> = {},
): ExtractedPage => ({
  url: `https://www.acme.test${path}`,
  canonicalUrl: `https://www.acme.test${path}`,
  title: '',
  siteName: '',
  language: 'en',
  cards,
  links: [],
  needsRendering: false,
  ...given,
});
const person = (name: string | null, given: Partial<ContactCard> = {}): ContactCard =>
  contactCard({ technique: 'team-card', kind: 'person', name, ...given });
const loose = (given: Partial<ContactCard>): ContactCard =>
  contactCard({ technique: 'mailto', kind: 'page', ...given });
const organization = (name: string, given: Partial<ContactCard> = {}): ContactCard =>
  contactCard({ technique: 'json-ld', kind: 'organization', name, ...given });
const merge = (...pages: ExtractedPage[]): LeadDraft[] => mergeLeads(pages, 'acme.test');
const values = (list: LeadDraft['emails']): string[] => list.map(({ value }) => value);
const personsOf = (leads: LeadDraft[]): LeadDraft[] =>
  leads.filter(({ kind }) => kind === 'person');

describe('people', () => {
  test('never get a page address that does not match their name', () => {
    const [company, jane] = merge(
      page('/', [
        person('Jane Doe', { title: 'CEO' }),
        loose({ emails: ['office@acme.test', 'bob.ray@acme.test'] }),
      ]),
    );
    expect(jane?.emails).toEqual([]);
    expect(values(company?.emails ?? [])).toEqual(['office@acme.test', 'bob.ray@acme.test']);
  });

  test('with a name alone are leads only if they are known to be of the team', () => {
    const named = person('John Smith', { technique: 'team-name' });
    const leads = merge(page('/team', [person('Jane Doe'), named]));
    expect(personsOf(leads).map(({ name }) => name?.value)).toEqual(['John Smith']);
  });

  test('have the given name first, wherever the page is clear about the order', () => {
    const names = (cards: ContactCard[], language: string): (string | undefined)[] =>
      personsOf(merge(page('/team', cards, { language }))).map(({ name }) => name?.value);
    const cards = [
      person('DOE Jane', { title: 'CEO', emails: ['jane.doe@acme.test'] }),
      person('Dr. Jane Doe', { technique: 'json-ld', title: 'CEO' }),
      person('Smith, John', { title: 'Chair' }),
    ];
    expect(names(cards, 'en')).toEqual(['Dr. Jane Doe', 'John Smith']);
    expect(names([person('KOVÁCS Anna', { title: 'CEO' })], 'hu')).toEqual(['KOVÁCS Anna']);
    const listed = ['Bednarek Alina', 'Cichoń Wojciech', 'Drwęcki Paweł'];
    expect(
      names(
        listed.map((name) => person(name, { title: 'nauczyciel' })),
        'pl',
      ),
    ).toEqual(['Alina Bednarek', 'Wojciech Cichoń', 'Paweł Drwęcki']);
  });

  test('are one with the surname first or last', () => {
    const people = personsOf(
      merge(
        page('/', [person('Jane Doe', { title: 'CEO' }), person('Doe Jane', { title: 'CEO' })]),
      ),
    );
    expect(people.map(({ name }) => name?.value)).toEqual(['Jane Doe']);
  });

  test('get the profiles that match their name in every network; the others are the organisation’s', () => {
    const [company, jane] = merge(
      page('/team', [person('Jane Doe', { title: 'CEO' })]),
      page('/', [
        loose({ profiles: ['https://www.facebook.com/jane.doe', 'https://www.facebook.com/acme'] }),
        loose({ profiles: ['https://www.instagram.com/acme'] }),
      ]),
    );
    expect(values(jane?.otherSocials.facebook ?? [])).toEqual([
      'https://www.facebook.com/jane.doe',
    ]);
    expect(values(company?.otherSocials.facebook ?? [])).toEqual(['https://www.facebook.com/acme']);
    expect(values(company?.otherSocials.instagram ?? [])).toEqual([
      'https://www.instagram.com/acme',
    ]);
  });

  test('get a page address that matches only their name', () => {
    const [jane] = personsOf(
      merge(
        page('/team', [person('Jane Doe', { title: 'CEO' })]),
        page('/', [loose({ emails: ['j.doe@acme.test'] })]),
      ),
    );
    expect(jane?.emails).toEqual([
      {
        value: 'j.doe@acme.test',
        evidence: [{ url: 'https://www.acme.test/', technique: 'mailto' }],
      },
    ]);
  });

  test('get no address that could belong to two of them', () => {
    const leads = merge(
      page('/', [
        person('Jane Doe', { title: 'CEO' }),
        person('John Doe', { title: 'CTO' }),
        loose({ emails: ['doe@acme.test'] }),
      ]),
    );
    expect(personsOf(leads).flatMap(({ emails }) => emails)).toEqual([]);
    expect(values(leads[0]?.emails ?? [])).toEqual(['doe@acme.test']);
  });

  test('with the same name and different addresses stay separate', () => {
    const leads = personsOf(
      merge(
        page('/', [
          person('Jane Doe', { emails: ['jane@acme.test'] }),
          person('Jane Doe', { emails: ['jane.doe@acme.test'] }),
        ]),
      ),
    );
    expect(leads.map(({ emails }) => values(emails))).toEqual([
      ['jane@acme.test'],
      ['jane.doe@acme.test'],
    ]);
  });

  test('with the same name and different profiles stay separate, and an empty card adds no third', () => {
    const profile = (slug: string): Partial<ContactCard> => ({
      profiles: [`https://www.linkedin.com/in/${slug}`],
    });
    const leads = personsOf(
      merge(
        page('/', [
          person('Jane Doe', profile('jane-doe')),
          person('Jane Doe', profile('jane-doe-2')),
          person('Jane Doe'),
        ]),
      ),
    );
    expect(leads).toHaveLength(2);
  });

  test('with the same address stay separate, and the address goes to the one whose name it matches', () => {
    const shared = { emails: ['jane.doe@acme.test'], title: 'Partner' };
    const leads = merge(page('/', [person('Jane Doe', shared), person('John Smith', shared)]));
    expect(leads.map(({ name, emails }) => [name?.value, values(emails)])).toEqual([
      ['Jane Doe', ['jane.doe@acme.test']],
      ['John Smith', []],
    ]);
  });

  test('are not merged by a role address', () => {
    const leads = personsOf(
      merge(
        page('/', [
          person('Jane Doe', { title: 'CEO', emails: ['info@acme.test'] }),
          person('John Smith', { title: 'CTO', emails: ['info@acme.test'] }),
        ]),
      ),
    );
    expect(leads).toHaveLength(2);
    expect(leads.flatMap(({ emails }) => emails)).toEqual([]);
  });

  test('on three pages become one, with all the evidence', () => {
    const leads = personsOf(
      merge(
        page('/', [person('Dr. Jane Doe', { title: 'CEO', emails: ['jane@acme.test'] })]),
        page('/team', [person('JANE DOE', { phones: ['+49301234567'] })]),
        page('/jane', [
          person('J. Doe', { technique: 'json-ld', emails: ['jane@acme.test'] }),
          loose({ emails: ['jane@acme.test'] }),
        ]),
      ),
    );
    expect(leads).toHaveLength(1);
    expect(values(leads[0]?.phones ?? [])).toEqual(['+49301234567']);
    expect(leads[0]?.emails[0]?.evidence).toEqual([
      { url: 'https://www.acme.test/', technique: 'team-card' },
      { url: 'https://www.acme.test/jane', technique: 'json-ld' },
      { url: 'https://www.acme.test/jane', technique: 'mailto' },
    ]);
  });

  test('known only as authors are leads only with an address', () => {
    const author = person('Jane Doe', { technique: 'meta' });
    expect(merge(page('/blog', [author]))).toEqual([]);
    const withMail = merge(page('/blog', [author, loose({ emails: ['jane.doe@acme.test'] })]));
    expect(personsOf(withMail)).toHaveLength(1);
  });

  test('are ordered by how much is known, and work for the organization', () => {
    const leads = merge(
      page('/', [
        person('Ann Lee', { title: 'CTO' }),
        person('Jane Doe', { title: 'CEO', emails: ['jane@acme.test'] }),
        organization('Acme GmbH', { website: 'https://acme.test', phones: ['+49301234567'] }),
      ]),
    );
    expect(leads.map(({ name }) => name?.value)).toEqual(['Acme GmbH', 'Jane Doe', 'Ann Lee']);
    expect(leads.map(({ company }) => company?.value)).toEqual([
      'Acme GmbH',
      'Acme GmbH',
      'Acme GmbH',
    ]);
  });
});

describe('the organization', () => {
  test('is no lead when nothing is known', () => {
    expect(merge(page('/', [], { title: 'Acme | Home', siteName: 'Acme' }))).toEqual([]);
    expect(merge()).toEqual([]);
  });

  test('does not include customers, partners and suppliers in structured data', () => {
    const leads = merge(
      page('/', [
        organization('Wix', { website: 'https://wix.example', emails: ['help@wix.example'] }),
        organization('Acme', { website: 'https://www.acme.test/', emails: ['mail@acme.test'] }),
        organization('Customer Ltd', { phones: ['+442071234567'] }),
      ]),
    );
    expect(leads).toHaveLength(1);
    expect(leads[0]).toMatchObject({ kind: 'organization', name: { value: 'Acme' }, phones: [] });
    expect(values(leads[0]?.emails ?? [])).toEqual(['mail@acme.test']);
  });

  test('lists role addresses of its own domain first, and no personal profiles', () => {
    const [company] = merge(
      page('/', [
        loose({ emails: ['sales@acme.example', 'jobs@acme.test', 'info@acme.test'] }),
        loose({
          profiles: [
            'https://www.linkedin.com/in/someone',
            'https://www.linkedin.com/company/acme',
            'https://x.com/acme',
          ],
        }),
      ]),
    );
    const emails = ['info@acme.test', 'jobs@acme.test', 'sales@acme.example'];
    expect(values(company?.emails ?? [])).toEqual(emails);
    expect(values(company?.linkedin ?? [])).toEqual(['https://www.linkedin.com/company/acme']);
    expect(values(company?.twitter ?? [])).toEqual(['https://x.com/acme']);
    expect(company?.website?.value).toBe('https://www.acme.test/');
  });

  test('excludes web agencies and commenters, with the numbers beside them', () => {
    const [company, ...others] = merge(
      page('/', [
        loose({ emails: ['info@acme.test'], offset: 100 }),
        loose({ phones: ['+49301234567'], offset: 150 }),
        loose({ phones: ['+49891234567'], offset: 4_950 }),
        loose({ emails: ['studio@agency.test'], offset: 5_000 }),
        loose({ emails: ['reader@gmail.com'], offset: 9_000 }),
      ]),
    );
    expect(others).toEqual([]);
    expect(values(company?.emails ?? [])).toEqual(['info@acme.test']);
    expect(values(company?.phones ?? [])).toEqual(['+49301234567']);
  });

  test('gets addresses of other domains when it has none of its own', () => {
    const only = (email: string): string[] =>
      merge(page('/', [loose({ emails: [email] })])).flatMap(({ emails }) => values(emails));
    expect(only('acme@gmail.com')).toEqual(['acme@gmail.com']);
    expect(only('info@parent.test')).toEqual(['info@parent.test']);
    expect(only('jane.doe@elsewhere.test')).toEqual(['jane.doe@elsewhere.test']);
  });

  test('replaces a person with the same name', () => {
    const leads = merge(
      page('/', [
        organization('Officina Ferri', { emails: ['officina@acme.test'] }),
        person('Officina Ferri', { emails: ['officina@acme.test'] }),
      ]),
    );
    expect(leads.map(({ kind }) => kind)).toEqual(['organization']);
  });

  test.each([
    [{ siteName: 'Acme Tools', title: 'x' }, 'Acme Tools'],
    [{ title: 'Contact – Acme Ltd' }, 'Acme Ltd'],
    [{ title: 'Fine tools | Bolt & Sons' }, 'Bolt & Sons'],
    [{ title: 'Contact' }, 'acme.test'],
  ])('takes its name from %j', (given, name) => {
    const [company] = merge(page('/', [loose({ emails: ['info@acme.test'] })], given));
    expect(company?.name?.value).toBe(name);
  });
});

describe('several sites', () => {
  const drafts = (domain: string, cards: ContactCard[]): LeadDraft[] =>
    mergeLeads([page('/', cards)], domain);

  test('share a person or company known to both, with the evidence of both', () => {
    const linkedin = { profiles: ['https://www.linkedin.com/company/acme'] };
    const jane = person('Jane Doe', { title: 'CEO', emails: ['jane@acme.test'] });
    const leads = mergeDrafts([
      ...drafts('acme.test', [organization('Acme', linkedin), jane]),
      ...drafts('acme.example', [
        organization('Acme Ltd', linkedin),
        { ...jane, technique: 'json-ld' },
      ]),
    ]);
    expect(leads.map(({ kind, siteDomain }) => [kind, siteDomain])).toEqual([
      ['organization', 'acme.test'],
      ['person', 'acme.test'],
    ]);
    expect(leads[1]?.emails[0]?.evidence).toHaveLength(2);
  });

  test('keep namesakes apart, and companies that share the address of an agency', () => {
    const leads = mergeDrafts([
      ...drafts('acme.test', [
        organization('Acme', { emails: ['web@agency.test'] }),
        person('Jane Doe', { title: 'CEO' }),
      ]),
      ...drafts('bolt.test', [
        organization('Bolt', { emails: ['web@agency.test'] }),
        person('Jane Doe', { title: 'CEO' }),
      ]),
    ]);
    expect(leads).toHaveLength(4);
  });
});

test('thousands of cards are merged in time', () => {
  const cards = Array.from({ length: 10_000 }, (_, index) =>
    person(`Jane Doe${String.fromCharCode(97 + (index % 26), 97 + ((index / 26) % 26))}`, {
      title: 'CEO',
      emails: [`jane${index % 500}@acme.test`],
      phones: ['+49301234567'],
    }),
  );
  let leads: unknown[] = [];
  expect(cpuMsOf(() => (leads = merge(page('/', cards))))).toBeLessThan(10_000);
  expect(leads.length).toBeGreaterThan(100);
});

describe('members listed by another site', () => {
  const named = (name: string, more: Partial<LeadDraft>): LeadDraft => ({
    ...emptyDraft('organization', 'guild.test'),
    name: { value: name, evidence: [] },
    ...more,
  });

  test('are merged with their own site when it was visited, too', () => {
    const listed = named('Kiln Works', {
      siteDomain: 'kiln.test',
      foundOn: 'guild.test',
      phones: [{ value: '+442079460958', evidence: [] }],
    });
    const own = named('Kiln Works Ltd', {
      siteDomain: 'kiln.test',
      emails: [{ value: 'hello@kiln.test', evidence: [] }],
    });
    expect(mergeDrafts([listed, own])).toMatchObject([
      { foundOn: null, phones: [{}], emails: [{}], siteDomain: 'kiln.test' },
    ]);
  });

  test('stay apart from the site and from each other when they have no site', () => {
    const guild = named('Guild', {});
    const members = ['Kiln', 'Wheel'].map((name) => named(name, { foundOn: 'guild.test' }));
    const merged = mergeDrafts([guild, ...members]);
    expect(merged.map(({ name }) => name?.value)).toEqual(['Guild', 'Kiln', 'Wheel']);
  });
});
