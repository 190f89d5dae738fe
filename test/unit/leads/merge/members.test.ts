import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { mergeDrafts, mergeLeads } from '#src/leads/merge/merge-leads.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const HOST = 'https://www.springfield-chamber.test';
const drafts = (...pages: [path: string, body: string][]): LeadDraft[] =>
  mergeLeads(
    pages.map(([path, body]) =>
      extractPage({
        url: HOST + path,
        html: `<html lang="en-US"><title>Springfield Chamber of Commerce</title><body>${body}</body></html>`,
        kind: 'html',
      }),
    ),
    'springfield-chamber.test',
  );
/** Kind, name, domain, addresses and numbers of each lead. */
const rows = (...pages: [path: string, body: string][]): string[] =>
  drafts(...pages).map((lead) =>
    [
      lead.foundOn === null ? lead.kind : `listed ${lead.kind}`,
      lead.name?.value,
      lead.siteDomain,
      ...lead.emails.map(({ value }) => value),
      ...lead.phones.map(({ value }) => value),
    ].join(' | '),
  );
const card = (name: string, more: string): string =>
  `<div class="member"><h3>${name}</h3>${more}</div>`;
const mail = (address: string): string => `<p><a href="mailto:${address}">${address}</a></p>`;

const FOUR =
  card('Harbor Coffee', mail('hello@harborcoffee.test')) +
  card('Lincoln Plumbing', `${mail('office@lincolnplumbing.test')}<p>(217) 555-0142</p>`) +
  card(
    'Maple Street Books',
    '<a href="https://maplestreetbooks.test">Web site</a><p>Phone: (217) 555-0143</p>',
  ) +
  card(
    'Ann Porter',
    `<a href="https://annporter.test/">annporter.test</a>${mail('ann@annporter.test')}`,
  );
const LISTED = [
  'listed organization | Harbor Coffee | harborcoffee.test | hello@harborcoffee.test',
  'listed organization | Lincoln Plumbing | lincolnplumbing.test | office@lincolnplumbing.test | +12175550142',
  'listed organization | Ann Porter | annporter.test | ann@annporter.test',
  'listed organization | Maple Street Books | maplestreetbooks.test | +12175550143',
];

const PROFILE =
  '<header><a href="/">Springfield Chamber</a></header><main><h1>Harbor Coffee</h1><p>We roast.</p>' +
  '<dl><dt>Contact person</dt><dd>Rita Okafor</dd><dt>Email</dt><dd>hello@harborcoffee.test</dd>' +
  '<dt>Phone</dt><dd>(217) 555-0144</dd></dl><p>Changes? members@springfield-chamber.test</p></main>' +
  '<footer><p>Tel. (217) 555-0100</p></footer>';

test('the page of one member has the contacts of the member, and the addresses of the site', () => {
  const page = extractPage({
    url: `${HOST}/members/harbor-coffee`,
    html: `<html lang="en-US"><title>Springfield Chamber of Commerce</title><body>${PROFILE}</body></html>`,
    kind: 'html',
    isOfMember: true,
  });
  const found = mergeLeads([page], 'springfield-chamber.test').map((lead) => [
    lead.foundOn === null ? lead.kind : `listed ${lead.kind}`,
    lead.name?.value,
    [...lead.emails, ...lead.phones].map(({ value }) => value).join(),
  ]);
  expect(found).toEqual([
    [
      'organization',
      'Springfield Chamber of Commerce',
      'members@springfield-chamber.test,+12175550100',
    ],
    ['listed organization', 'Harbor Coffee', 'hello@harborcoffee.test,+12175550144'],
    ['listed person', 'Rita Okafor', ''],
  ]);
});

test.each([
  ['a heading that announces a list', '<main><h1>Our members</h1><p>info@other.test</p></main>'],
  ['a person', '<main><h1>Jane Doe</h1><p>jane@mail.test</p></main>'],
  [
    'only addresses of the site',
    `<main><h1>Join us</h1>${mail('join@springfield-chamber.test')}</main>`,
  ],
])('a page with %s is no page of a member', (_, body) => {
  const page = extractPage({
    url: `${HOST}/members/x`,
    html: `<html lang="en-US"><title>Springfield Chamber</title><body>${body}</body></html>`,
    kind: 'html',
    isOfMember: true,
  });
  expect(page.cards.filter(({ entity }) => entity === 'member')).toEqual([]);
});

test('a page that lists several is a list, also when it is taken for the page of one', () => {
  const page = extractPage({
    url: `${HOST}/members`,
    html: `<title>Springfield Chamber of Commerce</title><h1>Who is here</h1>${FOUR}`,
    kind: 'html',
    isOfMember: true,
  });
  const names = page.cards.filter(({ entity }) => entity === 'member').map(({ name }) => name);
  expect(names).toContain('Harbor Coffee');
  expect(names).not.toContain('Who is here');
});

const FIRMS = [
  ['Harbor Coffee', 'Jane Doe', 'hello@harborcoffee.test'],
  ['Lincoln Plumbing', 'Rita Okafor', 'office@lincolnplumbing.test'],
  ['Maple Street Books', 'Tom Reed', 'books@maplestreet.test'],
] as const;

test.each([
  [
    'articles with headers and footers',
    (name: string, person: string, email: string) =>
      `<article><header><h3>${name}</h3></header><p>${person}</p><footer>${email}</footer></article>`,
  ],
  [
    'an accordion',
    (name: string, person: string, email: string) =>
      `<div><h2><button>${name}</button></h2><div><p>${person}</p><p>${email}</p></div></div>`,
  ],
  [
    'boxes whose class says preview',
    (name: string, person: string, email: string) =>
      `<div class="member-preview"><h4>${name}</h4><p>${person}</p><p>${email}</p></div>`,
  ],
  [
    'paragraphs',
    (name: string, person: string, email: string) =>
      `<p><b>${name}</b><br>${person}<br>12 Main Street<br>${email}</p>`,
  ],
])('members and their people are read from %s', (_, html) => {
  const body = FIRMS.map(([name, person, email]) => html(name, person, email)).join('');
  const found = drafts(['/members', `<h1>Our members</h1>${body}`]);
  expect(found.map(({ name, company }) => [name?.value, company?.value])).toEqual([
    ...FIRMS.map(([name]) => [name, name]),
    ...FIRMS.map(([name, person]) => [person, name]),
  ]);
});

test('the owner in the column of a table of members is a person of the member', () => {
  const lines = FIRMS.map(
    ([name, person, email]) => `<tr><td>${name}</td><td>${person}</td><td>${email}</td></tr>`,
  );
  const head = '<tr><th>Name</th><th>Owner</th><th>E-mail</th></tr>';
  const found = drafts(['/members', `<table>${head}${lines.join('')}</table>`]);
  const people = found.filter(({ kind }) => kind === 'person');
  expect(people.map(({ name, title }) => [name?.value, title?.value])).toEqual(
    FIRMS.map(([, person]) => [person, 'Owner']),
  );
});

test('several organisations in structured data are members, on a page that lists them', () => {
  const body = FIRMS.map(
    ([name, , email]) =>
      `<div itemscope itemtype="https://schema.org/LocalBusiness"><b itemprop="name">${name}</b><i itemprop="email">${email}</i></div>`,
  ).join('');
  const page = extractPage({ url: `${HOST}/members`, html: body, kind: 'html' });
  const marked = page.cards.filter(({ technique }) => technique === 'microdata');
  expect(marked.map(({ entity }) => entity)).toEqual(['member', 'member', 'member']);
});

test('firms that are named like people are members when their domains are named like them', () => {
  const body = [
    ['Harbor Lane', 'joris@harborlane.test'],
    ['Rosa Linde', 'info@rosalinde.test'],
    ['Mira Sol', 'brood@mirasol.test'],
  ].map(([name = '', email = '']) => card(name, mail(email)));
  expect(
    rows(['/tenants', `<h1>Tenants</h1>${body.join('')}`]).map((row) => row.split(' | ')[1]),
  ).toEqual(['Harbor Lane', 'Rosa Linde', 'Mira Sol']);
});

describe('an association whose members have contacts', () => {
  test('has no contacts of its own when the page shows none, and each member is a lead', () => {
    expect(rows(['/members', `<h1>Our members</h1>${FOUR}`])).toEqual(LISTED);
  });

  test('keeps its own contacts', () => {
    const footer = `<footer>${mail('info@springfield-chamber.test')}<p>Tel. (217) 555-0100</p></footer>`;
    expect(rows(['/members', FOUR + footer])).toEqual([
      'organization | Springfield Chamber of Commerce | springfield-chamber.test | info@springfield-chamber.test | +12175550100',
      ...LISTED,
    ]);
  });

  test('does not give its members a number that all cards repeat', () => {
    const cards = FOUR.replaceAll('</div>', '<p>Bookings: (217) 555-0199</p></div>');
    const leads = rows(['/members', cards]);
    expect(leads.filter((row) => row.startsWith('listed') && row.includes('0199'))).toEqual([]);
  });
});

test.each([
  [
    'a list',
    '<ul><li><b>Harbor Coffee</b>, 1 Quay, hello@harborcoffee.test</li><li><b>Lincoln Plumbing</b>, office@lincolnplumbing.test</li><li><b>Oak Bank</b>, desk@oakbank.test</li></ul>',
  ],
  [
    'headings with paragraphs',
    '<h3>Harbor Coffee</h3><p>hello@harborcoffee.test</p><h3>Lincoln Plumbing</h3><p>office@lincolnplumbing.test</p><h3>Oak Bank</h3><p>desk@oakbank.test</p>',
  ],
  [
    'a table',
    '<table><tr><th>Company</th><th>E-mail</th></tr><tr><td>Harbor Coffee</td><td>hello@harborcoffee.test</td></tr><tr><td>Lincoln Plumbing</td><td>office@lincolnplumbing.test</td></tr><tr><td>Oak Bank</td><td>desk@oakbank.test</td></tr></table>',
  ],
  [
    'a list for machines',
    `<script type="application/ld+json">${JSON.stringify({
      '@context': 'https://schema.org',
      '@type': 'ItemList',
      itemListElement: [
        ['CafeOrCoffeeShop', 'Harbor Coffee', 'hello@harborcoffee.test'],
        ['Plumber', 'Lincoln Plumbing', 'office@lincolnplumbing.test'],
        ['BankOrCreditUnion', 'Oak Bank', 'desk@oakbank.test'],
      ].map(([type, name, email]) => ({
        '@type': 'ListItem',
        item: { '@type': type, name, email },
      })),
    })}</script>`,
  ],
])('members are found in %s', (_, body) => {
  expect(rows(['/members', body])).toEqual([
    'listed organization | Harbor Coffee | harborcoffee.test | hello@harborcoffee.test',
    'listed organization | Lincoln Plumbing | lincolnplumbing.test | office@lincolnplumbing.test',
    'listed organization | Oak Bank | oakbank.test | desk@oakbank.test',
  ]);
});

test('the contact person of a member works for the member', () => {
  const body = FOUR.replace(
    '<p>(217) 555-0142</p>',
    '<p>Contact: Mary Quinn, Office Manager</p><p>mary.quinn@lincolnplumbing.test</p>',
  );
  const mary = drafts(['/members', body]).find(({ kind }) => kind === 'person');
  expect(mary).toMatchObject({
    name: { value: 'Mary Quinn' },
    company: { value: 'Lincoln Plumbing' },
    siteDomain: 'lincolnplumbing.test',
    foundOn: 'springfield-chamber.test',
    emails: [{ value: 'mary.quinn@lincolnplumbing.test' }],
  });
});

test('several branches on one domain are one lead', () => {
  const branch = (name: string): string =>
    card(`Oak Bank ${name}`, mail(`${name.toLowerCase()}@oakbank.test`));
  const listed = rows(['/members', FOUR + branch('North') + branch('South')]).filter((row) =>
    row.includes('oakbank'),
  );
  expect(listed).toEqual([expect.stringContaining('north@oakbank.test | south@oakbank.test')]);
});

test('customers’ logos without contacts are not leads', () => {
  const logos = ['harborcoffee', 'lincolnplumbing', 'oakbank']
    .map((name) => card(name.toUpperCase(), `<a href="https://${name}.test"><img alt=""></a>`))
    .join('');
  expect(rows(['/', `<h2>Our customers</h2>${logos}`])).toEqual([]);
});

test('people with addresses at mail providers are staff, not members', () => {
  const staff = ['Jane Doe', 'John Smith', 'Mary Jones']
    .map((name) =>
      card(name, `<p>Manager</p>${mail(`${name.toLowerCase().replace(' ', '.')}@gmail.com`)}`),
    )
    .join('');
  expect(drafts(['/team', staff]).map(({ kind, foundOn }) => [kind, foundOn])).toEqual([
    ['person', null],
    ['person', null],
    ['person', null],
  ]);
});

test('a person with an address precedes those without, so that a limit keeps them', () => {
  const silent = Array.from({ length: 5 }, (_, at) =>
    card(`Jane Doe-${'ABCDE'[at]}`, '<p>Manager</p>'),
  );
  const [first] = drafts([
    '/team',
    `<h1>Team</h1>${silent.join('')}${card('John Smith', `<p>Clerk</p>${mail('john.smith@springfield-chamber.test')}`)}`,
  ]).filter(({ kind }) => kind === 'person');
  expect(first?.name?.value).toBe('John Smith');
});

test('a member is merged with the lead of its own site, and is then no longer a listed one', () => {
  const [listed] = drafts(['/members', FOUR]);
  const own = { ...listed, foundOn: null } as LeadDraft; // the first lead exists, as tested above
  const merged = mergeDrafts([...drafts(['/members', FOUR]), own]);
  expect(merged.filter(({ siteDomain }) => siteDomain === 'harborcoffee.test')).toMatchObject([
    { foundOn: null },
  ]);
  expect(merged).toHaveLength(4);
});

test('a thousand members are read in time', () => {
  const many = Array.from({ length: 1_000 }, (_, at) =>
    card(`Firm ${at} Ltd`, mail(`info@firm${at}.test`)),
  );
  expect(
    cpuMsOf(() => expect(drafts(['/members', many.join('')])).toHaveLength(1_000)),
  ).toBeLessThan(8_000);
});

describe('on a list of members', () => {
  test('a mailbox at the site that lists them is the member’s, that of a desk the site’s', () => {
    const page =
      card('Knights Club', `${mail('knights@springfield-chamber.test')}<p>(217) 555-0151</p>`) +
      card('Rook House', mail('joe.rook@springfield-chamber.test')) +
      card('Pawn & Sons', mail('hello@pawnsons.test')) +
      card('The Tower', mail('info@springfield-chamber.test'));
    expect(rows(['/members', page])).toEqual([
      'organization | Springfield Chamber of Commerce | springfield-chamber.test | info@springfield-chamber.test',
      'listed organization | Pawn & Sons | pawnsons.test | hello@pawnsons.test',
      'listed organization | Knights Club | springfield-chamber.test | knights@springfield-chamber.test | +12175550151',
      'listed organization | Rook House | springfield-chamber.test | joe.rook@springfield-chamber.test',
    ]);
  });

  test.each([['<span class="badge bg-light">Milford</span>'], ['<small>Milford</small>']])(
    '%s in the heading is not part of the name',
    (note) => {
      const one = (name: string, domain: string): string =>
        `<div><h3>${name} ${note}</h3>${mail(`hello@${domain}`)}</div>`;
      const page = one('Harbor Coffee', 'harborcoffee.test') + one('Rook House', 'rookhouse.test');
      expect(drafts(['/members', page]).map(({ name }) => name?.value)).toEqual([
        'Harbor Coffee',
        'Rook House',
      ]);
    },
  );

  test('positions, footers and useful numbers are no members', () => {
    const staff = ['Town Architect', 'Clerk and Treasurer', 'Caretaker'].map(
      (role, at) => `<tr><td>${role}</td><td>Tel. (217) 555-016${at}</td></tr>`,
    );
    const useful = ['Night Chemist', 'Harbor Clinic', 'Milford Ferry'].map(
      (name, at) => `<li>${name}: (217) 555-017${at}</li>`,
    );
    const footer = ['Head Desk', 'Print Shop', 'Lost Property'].map(
      (name, at) => `<div><b>${name}</b>: (217) 555-018${at}</div>`,
    );
    const page = `<h1>Directory</h1><table>${staff.join('')}</table><h3>Useful numbers</h3><ul>${useful.join('')}</ul><footer>${footer.join('')}</footer>`;
    expect(rows(['/directory', page]).filter((row) => row.startsWith('listed'))).toEqual([]);
  });

  test('a place with a comma and the label of the next line make no person', () => {
    const one = (name: string, place: string, person: string): string =>
      `<div><h3>${name}</h3><dl><dt>Venue</dt><dd>${place}</dd><dt>Responsible:</dt><dd>${person}</dd><dt>Phone</dt><dd>(217) 555-019${name.length % 10}</dd></dl>${mail(`${name.split(' ').at(-1)?.toLowerCase()}@springfield-chamber.test`)}</div>`;
    const page =
      one('Chess Club Milford', 'Clubhouse, Milford', 'Ada Hartley') +
      one('Chess Circle Weston', 'Kulturhus, Weston', 'Ben Okafor') +
      one('Knights of Easton', 'Dorpshuis, Easton', 'Carla Reyes');
    const persons = drafts(['/members', page]).filter(({ kind }) => kind === 'person');
    expect(persons.every(({ name }) => name?.value.includes(',') === false)).toBe(true);
  });
});

test('organizations that share the name of a place with the host are members', () => {
  const club = (name: string, more: string): string => `<div><h3>${name}</h3>${more}</div>`;
  const page = extractPage({
    url: 'https://www.milford.test/clubs',
    html: `<html lang="en-US"><title>Milford Town Council: Clubs</title><body><h1>Clubs</h1>${
      club('Rowing Club Milford', mail('oars@inbox.test')) +
      club('Choir Milford', '<p>(217) 555-0171</p>') +
      club(
        'Volunteers of Milford',
        '<a href="https://help.milford.test">Web site</a><p>(217) 555-0172</p>',
      )
    }</body></html>`,
    kind: 'html',
  });
  const listed = mergeLeads([page], 'milford.test').filter(({ foundOn }) => foundOn !== null);
  expect(listed.map(({ name }) => name?.value)).toEqual([
    'Rowing Club Milford',
    'Choir Milford',
    'Volunteers of Milford',
  ]);
});

test('branches of the host are no members', () => {
  const branch = (name: string, phone: string): string =>
    `<div><h3>${name}</h3><p>(217) 555-${phone}</p></div>`;
  const page = extractPage({
    url: 'https://www.milford.test/stores',
    html: `<html lang="en-US"><title>Bread</title><body><h1>Stores</h1>${
      branch('Bakery Milford North', '0171') +
      branch('Bakery Milford South', '0172') +
      branch('Milford West', '0173')
    }</body></html>`,
    kind: 'html',
  });
  expect(mergeLeads([page], 'milford.test').filter(({ foundOn }) => foundOn !== null)).toEqual([]);
});
