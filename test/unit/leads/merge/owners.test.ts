import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import { mergeLeads } from '#src/leads/merge/merge-leads.ts';

interface Page {
  path: string;
  body: string;
  head?: string;
}

/** Kind, name, addresses and numbers of each lead of a site. */
function rows(
  { domain = 'milford.test', lang = 'en-GB', title = 'Milford Parish' },
  ...pages: Page[]
): string[] {
  const read = pages.map(({ path, body, head = '' }) =>
    extractPage({
      url: `https://www.${domain}${path}`,
      html: `<html lang="${lang}"><head><title>${title}</title>${head}</head><body>${body}</body></html>`,
      kind: 'html',
    }),
  );
  return mergeLeads(read, domain).map(({ foundOn, kind, name, emails, phones }) =>
    [
      foundOn === null ? kind : `listed ${kind}`,
      name?.value,
      ...[...emails, ...phones].map(({ value }) => value),
    ].join(' | '),
  );
}

const jsonLd = (data: object): string =>
  `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...data })}</script>`;

describe('structured data on a list of organisations', () => {
  const clubs =
    '<h2>Clubs and societies</h2>' +
    '<div class="club"><h3>Fire Brigade Milford</h3><p>020 7946 0101, brigade.milford@gmail.com</p></div>' +
    '<div class="club"><h3>Choir of Milford</h3><p>020 7946 0102</p></div>' +
    '<div class="club"><h3>Rowing Club Milford</h3><p>020 7946 0103, <a href="https://rowing.test">web</a></p></div>';

  test('is about the listed one that it names', () => {
    const head = jsonLd({
      '@type': 'FireStation',
      name: 'Fire Brigade Milford',
      telephone: '+442079460101',
    });
    expect(
      rows(
        {},
        { path: '/', body: '<p>Tel. 020 7946 0100, office@milford.test</p>' },
        { path: '/clubs', body: clubs, head },
      ),
    ).toEqual([
      'organization | Milford Parish | office@milford.test | +442079460100',
      'listed organization | Fire Brigade Milford | brigade.milford@gmail.com | +442079460101',
      'listed organization | Rowing Club Milford | +442079460103',
      'listed organization | Choir of Milford | +442079460102',
    ]);
  });

  test('is about the listed one whose contacts it has, when it names none', () => {
    const desk = (name: string, local: string, number: string): string =>
      `<dt><a href="/${local}">${name}</a></dt><dd><div class="vcard"><span class="fn org" title="${name}"></span><p>Tel.: <span class="tel">+43 5272 61220-${number}</span><br><a class="email" href="mailto:${local}@hochschule.test">${local}@hochschule.test</a></p></div></dd>`;
    const body = `<h1>Institute</h1><dl>${desk('Institut für Orgel', 'orgel', '21')}${desk('Institut für Jazz', 'jazz', '22')}${desk('Institut für Tanz', 'tanz', '23')}</dl>`;
    const site = { domain: 'hochschule.test', lang: 'de-AT', title: 'Hochschule Steinach' };
    expect(
      rows(
        site,
        { path: '/', body: '<p>Tel. +43 5272 61220-0, office@hochschule.test</p>' },
        { path: '/institute', body },
      ),
    ).toEqual([
      'organization | Hochschule Steinach | office@hochschule.test | +435272612200',
      'listed organization | Institut für Orgel | orgel@hochschule.test | +4352726122021',
      'listed organization | Institut für Jazz | jazz@hochschule.test | +4352726122022',
      'listed organization | Institut für Tanz | tanz@hochschule.test | +4352726122023',
    ]);
  });
});

describe('a number on the line of somebody else', () => {
  test('is not that of the person whose card it stands in', () => {
    const body =
      '<h1>Gwilym Price</h1><h4>Partner</h4><p>T 029 2018 0341<br>gprice@milford.test</p>' +
      '<p>His assistant is Bethan Sallis: <a href="tel:02920180342">029 2018 0342</a></p>';
    const people = rows({}, { path: '/people/gwilym-price', body });
    expect(people).toContain('person | Gwilym Price | gprice@milford.test | +442920180341');
    expect(people.join()).toContain('+442920180342');
  });

  test('is that of the name before it, one after the other', () => {
    const body =
      '<h1>Team</h1><ul><li>Mette Holm, director, 98 12 34 02. Press: Jonas Krag, 98 12 34 03, jk@galleri.test</li>' +
      '<li>Rosa Gil, president, 98 12 34 04</li></ul><p>Inspector: Elena Ruiz, 98 12 34 05</p>';
    const people = rows(
      { domain: 'galleri.test', lang: 'da', title: 'Galleri' },
      { path: '/team', body },
    );
    const ofMette = people.find((row) => row.includes('Mette Holm')) ?? '';
    const ofJonas = people.find((row) => row.includes('Jonas Krag')) ?? '';
    const ofRosa = people.find((row) => row.startsWith('person | Rosa Gil')) ?? '';
    expect(ofMette).not.toContain('+4598123403');
    expect(ofJonas).not.toContain('+4598123402');
    expect(ofRosa).not.toContain('+4598123405');
  });

  test('is not that of the only person of the page when a label names somebody else', () => {
    const body =
      '<h1>Parents</h1><p>President: Rosa Gil, 020 7946 0101</p><p>Inspector: Elena Ruiz, 020 7946 0102</p>';
    const person = rows({}, { path: '/parents', body }).find((row) => row.includes('Rosa Gil'));
    expect(person).toBe('person | Rosa Gil | +442079460101');
  });

  test('stays with both when both stand there', () => {
    const body =
      '<h1>Our team</h1><ul><li>Jane Doe and John Smith, caretakers, 020 7946 0101</li>' +
      '<li>Mary Jones, clerk, 020 7946 0102</li><li>Peter Brown, verger, 020 7946 0103</li></ul>';
    const people = rows({}, { path: '/team', body });
    expect(people).toContain('person | Mary Jones | +442079460102');
    expect(people).toContain('person | Peter Brown | +442079460103');
  });
});

test('people of listed organisations are read from labels and roles on their lines', () => {
  const club = (name: string, more: string): string =>
    `<div class="dok"><h3>${name}</h3><p>${more}</p></div>`;
  const body =
    `<h2>Spolky a organizace</h2>${club('SDH Hájek', 'starosta sboru Stanislav Koukal, velitel Jan Mareš<br>603 000 777')}` +
    `${club('Svaz včelařů, ZO Hájek', 'Jednatel př. František Hanzal, tel: 605 000 118')}` +
    `${club('Divadlo Hájek', 'Osoba kontaktowa: Pilar Lasierra (ředitelka)<br>605 000 119, <a href="https://divadlo.test">web</a>')}`;
  const people = rows({ domain: 'obec.test', lang: 'cs', title: 'Obec' }, { path: '/spolky', body })
    .filter((row) => row.startsWith('listed person'))
    .toSorted();
  expect(people).toEqual([
    'listed person | František Hanzal',
    'listed person | Jan Mareš',
    'listed person | Pilar Lasierra',
    'listed person | Stanislav Koukal',
  ]);
});

test('the section of an association belongs to its name', () => {
  const club = (name: string, number: string): string =>
    `<li><h3>${name}</h3><p>Tel. 020 7946 ${number}</p></li>`;
  const body = `<h1>Our members</h1><ul>${club('Bee Union, Section North', '0101')}${club('Harbor Coffee, Springfield', '0102')}${club('Lincoln Plumbing', '0103')}</ul>`;
  const listed = rows({}, { path: '/members', body }).map((row) => row.split(' | ')[1]);
  expect(listed).toEqual(['Bee Union, Section North', 'Harbor Coffee', 'Lincoln Plumbing']);
});

describe('the address of an office', () => {
  const card = (name: string, role: string, mail: string, phone: string): string =>
    `<li><strong>${name}</strong>, ${role} – <a href="mailto:${mail}@milford.test">${mail}@milford.test</a> – ${phone}</li>`;

  test('is a person’s only when it is that of the person’s role', () => {
    const body = `<h1>Our team</h1><ul>${card('Mary Jones', 'treasurer', 'treasurer', '020 7946 0101')}${card('Ann Dale', 'head of development', 'franchise', '020 7946 0102')}</ul>`;
    const found = rows({}, { path: '/team', body });
    expect(found).toContain('person | Mary Jones | treasurer@milford.test | +442079460101');
    expect(found).toContain('person | Ann Dale | +442079460102');
    expect(found[0]).toContain('franchise@milford.test');
  });

  test('takes the number that data states with it from whoever answers there', () => {
    const data = {
      office: { name: 'Ann Dale', email: 'office@milford.test', phone: '020 7946 0101' },
    };
    const body =
      '<h1>Contact</h1><p>Secretary Ann Dale<br><a href="tel:02079460101">020 7946 0101</a></p>' +
      `<script type="application/json">${JSON.stringify(data)}</script>`;
    const found = rows({}, { path: '/contact', body });
    expect(found[0]).toBe('organization | Milford Parish | office@milford.test | +442079460101');
    expect(found.slice(1).join()).not.toContain('+44');
  });
});

test('organisations whose numbers a click shows are listed, and the heading of sponsors is none', () => {
  const button = (name: string, number: string, site: string): string =>
    `<li><h2><a href="/m/${site}">${name}</a></h2><a href="https://${site}.test">Web</a><button data-tel="020 7946 ${number}">Show</button></li>`;
  const list = `<h1>Our members</h1><ul>${button('Harbor Coffee', '0101', 'harborcoffee')}${button('Lincoln Plumbing', '0102', 'lincolnplumbing')}</ul>`;
  expect(rows({}, { path: '/members', body: list })).toEqual([
    'listed organization | Harbor Coffee | +442079460101',
    'listed organization | Lincoln Plumbing | +442079460102',
  ]);
  const part = (heading: string, number: string): string =>
    `<div class="part"><h2>${heading}</h2><p>020 7946 ${number}, <a href="https://x${number}.test">Web</a></p></div>`;
  const body = `<h1>Partners</h1>${part('Our sponsors', '0103')}${part('Harbor Coffee', '0104')}${part('Lincoln Plumbing', '0105')}`;
  expect(rows({}, { path: '/partners', body }).join()).not.toContain('Our sponsors');
});

test('an address that has the name of another person is not that of whoever stands above it', () => {
  const body =
    '<h1>Helena Dorneles</h1><p>Partner</p><p>Advises on corporate law.</p>' +
    '<p>Assistant: Jane Doe, 020 7946 0120</p><ul><li><a href="mailto:helena@milford.test">helena@milford.test</a></li></ul>';
  expect(rows({}, { path: '/team/helena', body })).toEqual([
    'person | Helena Dorneles | helena@milford.test',
    'person | Jane Doe | +442079460120',
  ]);
});

test('numbers on the lines above a name that has its own are those of the organisation', () => {
  const body =
    '<h1>Contact</h1><p>Office 020 7946 0101, open from 9<br>Reception 020 7946 0102<br>Caretaker John Smith, tel. 020 7946 0103</p>';
  expect(rows({}, { path: '/contact', body })).toEqual([
    'organization | Milford Parish | +442079460101 | +442079460102',
    'person | John Smith | +442079460103',
  ]);
});

describe('a heading that looks like a name is no person', () => {
  test('when it is the name of the site', () => {
    const body = '<h1>Ordinace Podhájí</h1><h2>praktický lékař</h2><p>ordinace@podhaji.test</p>';
    expect(
      rows({ domain: 'podhaji.test', lang: 'cs', title: 'Ordinace Podhájí' }, { path: '/', body }),
    ).toEqual(['organization | Ordinace Podhájí | ordinace@podhaji.test']);
  });

  test('when it names a branch', () => {
    const body =
      '<h1>Ansprechpartner</h1><h2>Niederlassung Salzburg</h2><p>Leiterin<br>salzburg@milford.test</p>';
    const found = rows({ lang: 'de' }, { path: '/team', body });
    expect(found.filter((row) => row.startsWith('person'))).toEqual([]);
  });
});
