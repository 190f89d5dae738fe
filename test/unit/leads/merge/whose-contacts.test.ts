import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { mergeLeads } from '#src/leads/merge/merge-leads.ts';

const leadsOf = (body: string, url = 'https://www.acme.test/', head = ''): LeadDraft[] =>
  mergeLeads(
    [
      extractPage({
        url,
        html: `<html lang="en-GB"><head>${head}</head><body>${body}</body></html>`,
        kind: 'html',
      }),
    ],
    new URL(url).hostname.replace(/^www\./, ''),
  );
const phonesOf = (body: string, url?: string): string[] =>
  leadsOf(body, url).flatMap(({ phones }) => phones.map(({ value }) => value));
const emailsOf = (body: string): string[] =>
  leadsOf(body).flatMap(({ emails }) => emails.map(({ value }) => value));
const namesOf = (body: string, url?: string, head?: string): string[] =>
  leadsOf(body, url, head)
    .filter(({ kind }) => kind === 'person')
    .map(({ name }) => name?.value ?? '');

test.each([
  'rif. 06-445501234',
  'réf. 01 42 68 53 00',
  'Prot. 06 445501234',
  'prat. 06-445501234',
  'Az. 0211 4550123',
])('%s is not a phone number', (text) => {
  for (const country of ['it', 'fr', 'de']) {
    expect(phonesOf(`<p>${text}</p>`, `https://acme.${country}/`)).toEqual([]);
  }
});

describe('a number inside a sentence', () => {
  const sentence = '<p>Please book the village hall with the caretaker, +44 20 7946 0999.</p>';

  test('belongs to someone else when the page has labelled numbers', () => {
    expect(phonesOf(`<p>Tel. 020 7946 0958</p>${sentence}`)).toEqual(['+442079460958']);
  });

  test.each([
    'Our patients reach us in an emergency on +44 20 7946 0999.',
    'For swarms please ring our emergency line, +44 20 7946 0999.',
    'Unsere Patienten erreichen uns nachts unter +44 20 7946 0999.',
    'Le week-end, vous pouvez nous joindre aussi au +44 20 7946 0999.',
    'Fuera de horario puede llamar a nuestro taller, +44 20 7946 0999.',
  ])('counts when the site speaks of itself: %s', (own) => {
    expect(phonesOf(`<p>Tel. 020 7946 0958</p><p>${own}</p>`)).toContain('+442079460999');
  });

  test('does not count when the site speaks of itself in the sentence before', () => {
    const text =
      'Our registration is Z664. You may complain to the county caretaker, +44 20 7946 0999.';
    expect(phonesOf(`<p>Tel. 020 7946 0958</p><p>${text}</p>`)).toEqual(['+442079460958']);
  });

  test('counts when the page has no other', () => {
    expect(phonesOf(sentence)).toEqual(['+442079460999']);
  });
});

describe('an address on the domain of another organisation', () => {
  test('does not make its owner a person of the site', () => {
    const body =
      '<p>info@acme.test</p><p>Legal counsel: Sarah Vance, Partner, <a href="mailto:svance@vancelegal.test">svance@vancelegal.test</a></p>';
    expect(namesOf(body)).toEqual([]);
    expect(emailsOf(body)).toEqual(['info@acme.test']);
  });

  test('is the site’s when two of its people share the domain', () => {
    const card = (name: string, local: string): string =>
      `<div><h3>${name}</h3><p>Manager</p><p>${local}@acmegroup-holding.test</p></div>`;
    const body = `<p>info@acme.test</p>${card('Jane Doe', 'jane.doe')}${card('John Smith', 'john.smith')}`;
    expect(namesOf(body)).toEqual(['Jane Doe', 'John Smith']);
  });

  test('is the site’s when it is the only one; with two, neither is', () => {
    expect(emailsOf('<p>hello@post-house.test</p>')).toEqual(['hello@post-house.test']);
    expect(emailsOf('<p>hello@post-house.test or hi@other-house.test</p>')).toEqual([]);
  });
});

test('the form of people’s addresses is found, and is not an address', () => {
  const card = (name: string, email: string): string =>
    `<div><h3>${name}</h3><p>Manager</p><a href="mailto:${email}">Mail</a></div>`;
  const body = `<p>info@acme.test</p>${card('Jane Doe', 'jane.doe@acme.test')}${card('John Smith', 'john.smith@acme.test')}${card('Mary Jones', 'mj@acme.test')}`;
  const [organization, ...people] = leadsOf(body);
  expect(organization?.emailPattern).toEqual({
    pattern: 'first.last@',
    examples: ['jane.doe@acme.test', 'john.smith@acme.test'],
  });
  expect(people.map(({ emailPattern }) => emailPattern)).toEqual([null, null, null]);
  expect(leadsOf(card('Jane Doe', 'jane.doe@acme.test'))[0]?.emailPattern).toBeNull();
});

test('the organisation that a person names is the employer, not the person’s own name in the title', () => {
  const body =
    '<div class="h-card"><a class="p-name u-url" href="/">Minh Nguyen</a>, <span class="p-job-title">Principal</span> at <span class="p-org">Larkspur Analytics</span>, <a class="u-email" href="mailto:minh@larkspur-analytics.test">Mail</a></div>';
  const leads = leadsOf(
    body,
    'https://minhnguyen.test/',
    '<title>Minh Nguyen – Consultant</title>',
  );
  expect(leads.map(({ kind, name, company }) => [kind, name?.value, company?.value])).toEqual([
    ['organization', 'Larkspur Analytics', 'Larkspur Analytics'],
    ['person', 'Minh Nguyen', 'Larkspur Analytics'],
  ]);
});

test('text that lost its element boundaries is not a name', () => {
  const glued = ['Oliver BennettPartner', 'Mary QuinnAssociate', 'Sam FordManager'];
  expect(
    namesOf(glued.map((text) => `<li>${text}</li>`).join(''), 'https://acme.test/team'),
  ).toEqual([]);
});

describe('a documentation page', () => {
  const topics = ['Quick Start', 'Event Loop', 'Jane Hartley']
    .map((text) => `<h2>${text}</h2><p>Manager of the queue.</p>`)
    .join('');
  const code = '<pre>mail("jane.doe@acme.test")</pre><code>a</code><code>b</code>';

  test.each([
    [
      'by its generator',
      'https://acme.test/x',
      '<meta name="generator" content="Docusaurus v3.1">',
      '',
    ],
    ['by its address and code', 'https://acme.test/docs/x', '', code],
    ['by its sidebar and code', 'https://acme.test/x', '', `<div class="sidebar"></div>${code}`],
  ])('%s has no people in its headings', (_, url, head, more) => {
    expect(namesOf(topics + more, url, head)).toEqual([]);
  });

  test('has no contacts in its code', () => {
    expect(leadsOf(code, 'https://acme.test/docs/x')).toEqual([]);
  });

  test('has people with an address on the site', () => {
    const body = `${topics}${code}<p>Write to our lead maintainer Ada Hartley: ada.hartley@acme.test</p>`;
    expect(namesOf(body, 'https://acme.test/docs/x')).toEqual(['Ada Hartley']);
  });
});

test('a number that pages without the person have is the switchboard, not that of the person', () => {
  const read = (path: string, body: string): ReturnType<typeof extractPage> =>
    extractPage({
      url: `https://www.acme.test${path}`,
      html: `<html lang="en-GB"><body>${body}</body></html>`,
      kind: 'html',
    });
  const number = (digits: string): string => `<p>Tel. 020 7946 ${digits}</p>`;
  const card = (name: string, digits: string): string =>
    `<div><h3>${name}</h3><p>Buyer</p>${number(digits)}</div>`;
  const team = card('Jane Doe', '0100') + card('Ann Lee', '0101');
  const leads = mergeLeads([read('/', number('0100')), read('/team', team)], 'acme.test');
  const found = leads.map(({ name, phones }) => [name?.value, phones.map(({ value }) => value)]);
  expect(found).toContainEqual(['Jane Doe', []]);
  expect(found).toContainEqual(['Ann Lee', ['+442079460101']]);
});

test('a contact that is marked up as a person but named like the site is the organisation', () => {
  const html =
    '<title>Acme Association</title><meta property="og:site_name" content="Acme Association">' +
    '<div itemscope itemtype="https://schema.org/Person"><span itemprop="name">Acme Association - Trade and Crafts of Milford</span><span itemprop="telephone">+44 20 7946 0958</span></div>';
  const leads = mergeLeads(
    [extractPage({ url: 'https://acme.test/', html, kind: 'html' })],
    'acme.test',
  );
  expect(leads.map(({ kind, phones }) => [kind, phones[0]?.value])).toEqual([
    ['organization', '+442079460958'],
  ]);
});

test('of two numbers of a person, the organisation’s own is not the person’s', () => {
  const html =
    '<script type="application/ld+json">{"@type":"Organization","name":"Acme","url":"https://acme.test/","telephone":"+442079460958"}</script>' +
    '<div class="card"><h3>Jane Doe</h3><p>Head of Sales</p><p>Office: +44 20 7946 0958 ext. 3</p><p>Mobile: +44 20 7946 0124</p><a href="mailto:jane.doe@acme.test">Mail</a></div>';
  const leads = mergeLeads(
    [extractPage({ url: 'https://acme.test/', html, kind: 'html' })],
    'acme.test',
  );
  const person = leads.find(({ kind }) => kind === 'person');
  expect(person?.phones.map(({ value }) => value)).toEqual(['+442079460124']);
});

test('of two numbers before a stranger’s address, only the second is the stranger’s', () => {
  const own = `<p>${'We make tools. '.repeat(20)}</p><p>office@acme.test</p>`;
  const numbers =
    '<p>Please call us on 020 7946 0101. The course is held elsewhere (tel. 020 7946 0102, desk@dinant-school.test)</p>';
  expect(phonesOf(numbers + own)).toEqual(['+442079460101']);
});

test('an address with the whole name of somebody on the page is that person’s, wherever it is', () => {
  const page =
    '<p>office@acme.test</p><h2>Our team</h2><ul><li><b>Jane Doe</b><br>Chair</li><li><b>John Smith</b><br>Treasurer</li></ul><p>The meeting is led by the chair (<a href="mailto:jane.k.doe@gmail.com">mail</a>).</p>';
  const jane = leadsOf(page).find(({ name }) => name?.value === 'Jane Doe');
  expect(jane?.emails.map(({ value }) => value)).toEqual(['jane.k.doe@gmail.com']);
});

test('somebody with the domain of the family is no outsider among others with a role', () => {
  const row = (name: string, more: string): string => `<li><b>${name}</b><br>${more}</li>`;
  const board = (address: string): string =>
    `<p>office@acme.test</p><h2>Our board</h2><ul>${row('Jane Westergard', `Chair<br>${address}`)}${row('John Smith', 'Treasurer')}${row('Mary Miller', 'Secretary')}</ul>`;
  expect(namesOf(board('jw@westergard-mail.test'))).toContain('Jane Westergard');
  expect(namesOf(board('jw@lawyers.test'))).not.toContain('Jane Westergard');
});

test('a part of the organisation that is named by its kind is nobody', () => {
  const page = '<h2>Café Spaden</h2><p>Tables: 020 7946 0101 or cafe@acme.test.</p>';
  expect(leadsOf(page).map(({ kind, emails }) => [kind, emails[0]?.value])).toEqual([
    ['organization', 'cafe@acme.test'],
  ]);
});
