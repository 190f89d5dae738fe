import { expect, test } from 'vitest';
import { openPage } from '#src/files/open-page.ts';
import { columnNamed } from '#src/leads/extract/table-columns.ts';
import { readTeamCards } from '#src/leads/extract/team-cards.ts';

const rows = (html: string): [string | null, string | null, string][] =>
  readTeamCards({ url: 'https://acme.test/team', html, page: openPage(html), region: 'DE' }).map(
    ({ name, title, emails }) => [name, title, emails.join()],
  );

test.each([
  '<tr><td><b>Lag</b></td><td><font><b>Tränare</b></font></td></tr>',
  '<tr><td><strong>Lag</strong></td><td><strong>Tränare</strong></td></tr>',
])('a first row in bold is a header: %s', (head) => {
  const html = `<table>${head}<tr><td>F 12</td><td>Jane Doe / John Smith</td></tr><tr><td>P 10</td><td>Anna Kovar, 070-174 06 25</td></tr></table>`;
  expect(rows(html)).toEqual([
    ['Jane Doe', 'Tränare', ''],
    ['John Smith', 'Tränare', ''],
    ['Anna Kovar', 'Tränare', ''],
  ]);
});

test('two who share a surname are two people', () => {
  expect(rows('<h3>Jane &amp; John Doe</h3><p>Owners</p><h3>Mary Jones</h3><p>Chef</p>')).toEqual([
    ['Jane Doe', 'Owners', ''],
    ['John Doe', 'Owners', ''],
    ['Mary Jones', 'Chef', ''],
  ]);
  expect(rows('<h3>Grelva &amp; John Doe</h3><p>Owners</p>')).toEqual([]);
});

test('names with commas and "and" between them are people', () => {
  const list = '<p><strong>Members</strong><br>Jane Doe, John Smith and Mary Jones</p>';
  expect(rows(list).map(([name]) => name)).toEqual(['Jane Doe', 'John Smith', 'Mary Jones']);
});

test('people of other firms are not read from labels', () => {
  for (const line of [
    'Polen und Tschechien: <strong>Wagotech Sp. z o.o.</strong>, Jane Doe, +48 71 700 21 44',
    'Independent examiner: Jane Doe FCA, Doe &amp; Stead',
    'Lawyer: Jane Doe (Doe + Smith)',
    'Photographer: Jane Doe',
    'Delegado de protección de datos: Jane Doe',
    'Berufshaftpflicht: Hansa Assekuranz',
  ]) {
    expect(rows(`<p>${line}</p>`)).toEqual([]);
  }
  const html = '<p>Lawyer: Jane Doe (Acme &amp; Smith)</p>';
  expect(rows(html).map(([name]) => name)).toEqual(['Jane Doe']);
});

test.each(['Cognome e nome', 'Nazwisko i imię', 'Příjmení, jméno', 'Nachname, Vorname'])(
  'a column "%s" has names',
  (head) => {
    expect(columnNamed(head)).toBe('name');
  },
);

test('the first cell of a row is the role of the name in the second', () => {
  const row = (...cells: string[]): string =>
    `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  const list =
    row('Director', 'Jane Doe', '020 7946 0101') +
    row('Engineer', 'Mary Jones', '020 7946 0102') +
    row('Stonking of gates', 'John Smith', '020 7946 0103');
  expect(rows(`<table>${list}</table>`)).toContainEqual(['John Smith', 'Stonking of gates', '']);
  const numbered = row('1.', 'Jane Doe', 'maths') + row('2.', 'John Smith', 'music');
  expect(rows(`<table>${numbered}</table>`)).toEqual([
    ['Jane Doe', 'maths', ''],
    ['John Smith', 'music', ''],
  ]);
});

test('several names in a cell have the role of their row', () => {
  const head = '<tr><th>Office</th><th>Person</th><th>Phone</th></tr>';
  const both = '<tr><td>Site work</td><td>Jane Doe<br>John Smith</td><td>020 7946 0101</td></tr>';
  const one = '<tr><td>Sales</td><td>Mary Jones</td><td>020 7946 0102</td></tr>';
  expect(rows(`<table>${head}${both}${one}</table>`)).toEqual([
    ['Jane Doe', 'Site work', ''],
    ['John Smith', 'Site work', ''],
    ['Mary Jones', 'Sales', ''],
  ]);
});

test('a heading right above a lone name with contacts is the office', () => {
  const read = (name: string): (string | null)[][] => {
    const html = `<h3>Chefbüro</h3><p>${name}<br>Tel. 0221 4710310</p><p>Mo–Do 8–15 Uhr</p>`;
    const source = { url: 'https://acme.test/x', html, page: openPage(html), region: 'DE' };
    return readTeamCards(source).map((card) => [card.name, card.title, ...card.phones]);
  };
  expect(read('Jane Doe')).toEqual([['Jane Doe', 'Chefbüro', '+492214710310']]);
  expect(read('Grelva Tschugg')).toEqual([]);
});

test('names below a heading of people without a role are people', () => {
  const html =
    '<table><tr><th>Name</th><th>Role</th></tr><tr><td>Jane Doe</td><td>CEO</td></tr></table><h2>Rappresentanti degli studenti</h2><p>John Smith, Mary Jones</p>';
  const source = { url: 'https://acme.test/persone', html, page: openPage(html), region: null };
  expect(readTeamCards(source).map(({ name }) => name)).toEqual([
    'Jane Doe',
    'John Smith',
    'Mary Jones',
  ]);
});

test('a branch is no person, but the head that the line below names', () => {
  const html =
    '<div><h3>Syston Green</h3><p>Shop Manager: Jane Doe</p></div><div><h3>Loughton Abbas</h3><p>Shop Manager: John Smith</p></div>';
  expect(rows(html)).toEqual([
    ['Jane Doe', 'Shop Manager', ''],
    ['John Smith', 'Shop Manager', ''],
  ]);
});
