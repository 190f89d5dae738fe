import { describe, expect, test } from 'vitest';
import { openPage } from '#src/files/open-page.ts';
import { readTeamCards } from '#src/leads/extract/team-cards.ts';

describe('known given names', () => {
  const cards = (...rows: [string, string][]): string =>
    rows.map(([name, text]) => `<li><h4>${name}</h4><p>${text}</p></li>`).join('');
  const people = (html: string, path: string): (string | null)[] => {
    const url = `https://acme.test${path}`;
    const source = { url, html, page: openPage(html), region: null };
    return readTeamCards(source).map(({ name }) => name);
  };

  test('make cards with unknown words people on a page about the organisation', () => {
    const html = cards(['Jane Doe', 'Quills and quotes'], ['John Smith', 'Bench stonker']);
    expect(people(html, '/about')).toEqual(['Jane Doe', 'John Smith']);
    expect(people(`<h2>Contact</h2>${html}`, '/')).toEqual([]);
    const places = cards(['Grelva Tschugg', 'Quills and quotes'], ['Upper Tarnbeck', 'Two sites']);
    expect(people(places, '/about')).toEqual([]);
  });

  test('make those with unknown words people on a page of people, and those beside them without', () => {
    const html = `<ul><li>Jane Doe, stonker</li><li>John Smith, vice stonker</li><li>Anna Kovar</li><li>Ingrid Xylo</li><li>Omar Xylo</li></ul>`;
    expect(people(html, '/committee')).toEqual([
      'Jane Doe',
      'John Smith',
      'Anna Kovar',
      'Ingrid Xylo',
      'Omar Xylo',
    ]);
    expect(people(html, '/about')).toEqual([]);
  });

  test('without a role are people where a page or a heading says that it is about the team', () => {
    const list =
      '<ul><li>Jane Doe</li><li>John Smith</li><li>Anna Kovar</li><li>Grelva Tschugg</li></ul>';
    const cells = '<div><h4>Jane Doe</h4></div><div><h4>John Smith</h4></div>';
    const url = 'https://acme.test/team';
    const cards = readTeamCards({ url, html: list, page: openPage(list), region: null });
    expect(cards.map(({ name, technique }) => [name, technique])).toEqual([
      ['Jane Doe', 'team-name'],
      ['John Smith', 'team-name'],
      ['Anna Kovar', 'team-name'],
    ]);
    expect(people(`<h2>Our team</h2>${cells}`, '/about')).toEqual(['Jane Doe', 'John Smith']);
    expect(people(`<h2>Our team</h2><h3>Guests</h3>${cells}`, '/about')).toEqual([]);
    expect(people(`<h2>Our team</h2><h3>Winners</h3>${cells}`, '/about')).toEqual([]);
    expect(people(`<h2>Former members</h2>${cells}`, '/team')).toEqual([]);
    expect(people(list, '/about')).toEqual([]);
  });

  test('that share a line are people, if all are known', () => {
    const list = (one: string): string =>
      `<ul><li>${one}</li><li>Anna Kovar und Mary Jones</li></ul>`;
    const [anna, mary] = ['Anna Kovar', 'Mary Jones'];
    expect(people(list('Jane Doe / John Smith'), '/team')).toEqual([
      'Jane Doe',
      'John Smith',
      anna,
      mary,
    ]);
    expect(people(list('Jane Doe / Grelva Tschugg'), '/team')).toEqual([anna, mary]);
  });

  test('make a name with unknown words and a contact a person', () => {
    const html = (name: string): string =>
      `<div><h3>Mensa</h3><p><b>${name}</b></p><p>Stonker</p><p>Tel. +44 20 7946 0123</p></div>`;
    expect(people(html('Jane Doe'), '/about')).toEqual(['Jane Doe']);
    expect(people(html('Grelva Tschugg'), '/about')).toEqual([]);
    expect(people(html('Jane Doe'), '/shop')).toEqual([]);
  });

  test('make a name right above a contact a person', () => {
    const html = (name: string): string =>
      `<h3>Reception</h3><p><b>${name}</b><br>Tel. +44 20 7946 0123</p>`;
    expect(people(html('Jane Doe'), '/about')).toEqual(['Jane Doe']);
    expect(people(html('Grelva Tschugg'), '/about')).toEqual([]);
  });

  test('are missing in what is beside roles that stand for something else', () => {
    const html = cards(
      ['Porselen Evi', 'manager@acme.test'],
      ['Rheinau Tarnbeck', 'office@acme.test'],
    );
    expect(people(html, '/team')).toEqual([]);
    const text = 'We sell porcelain since 1980.</p><p>Manager';
    expect(people(cards(['Porselen Evi', text], ['Rheinau Tarnbeck', text]), '/team')).toEqual([]);
    expect(people(cards(['Jane Doe', text], ['John Smith', text]), '/team')).toHaveLength(2);
  });

  test('make nobody of those who praise, audit or attend', () => {
    const quote = (name: string): string =>
      `<figure><blockquote>“Fast!”</blockquote><figcaption>${name}, CFO, Araponga</figcaption></figure>`;
    const html = quote('Jane Doe') + quote('John Smith');
    expect(people(html, '/')).toEqual([]);
    expect(people(html, '/team')).toEqual(['Jane Doe', 'John Smith']);
    const rows =
      '<table><tr><td>Presidente</td><td>Jane Doe</td></tr><tr><td>Revisore</td><td>John Smith (Studio Marsh)</td></tr></table>';
    expect(people(rows, '/about')).toEqual(['Jane Doe']);
    const minutes = '<p>In attendance: Jane Doe (Clerk)</p>';
    expect(people(minutes, '/about')).toEqual(['Jane Doe']);
    expect(people(`<title>Minutes: Full Council</title>${minutes}`, '/about')).toEqual([]);
  });

  test('make the others in their place names as well', () => {
    const html = cards(
      ['Jane Doe', 'Quills<br>Tel. +44 20 7946 0123'],
      ['John Smith', 'Quills<br>Tel. +44 20 7946 0124'],
      ['Anna Kovar', 'Quills<br>Tel. +44 20 7946 0125'],
      ['Grelva Tschugg', 'Quills<br>Tel. +44 20 7946 0126'],
    );
    expect(people(html, '/team')).toHaveLength(4);
  });

  test('end a word that stands before a name', () => {
    const html = cards(
      ['Byggnadsinspektör Jane Doe', 'jane.doe@acme.test'],
      ['Miljöstonkare John Smith', 'john.smith@acme.test'],
    );
    expect(people(html, '/team')).toEqual(['Jane Doe', 'John Smith']);
  });

  test('make somebody whom the organisation names for an unknown role a person', () => {
    expect(people('<p>Our stonk wrangler is Minh-Anh Doan.</p>', '/x')).toEqual(['Minh-Anh Doan']);
    expect(people('<p>Our stonk wrangler is Grelva Tschugg.</p>', '/x')).toEqual([]);
    expect(people('<p>Our stonk wrangler is Colin Brace of Acme & Co.</p>', '/x')).toEqual([]);
  });

  test('leave the word before a name in a sentence out of the name', () => {
    const html = '<p>Ask miljöstonkare or Miljöstonkare Linnéa Ström, linnea.strom@acme.test.</p>';
    expect(people(html, '/x')).toEqual(['Linnéa Ström']);
  });
});

test('nobody gets the contacts above somebody with another role', () => {
  const html =
    '<div><div><p>Tickets to +44 20 7946 0119.</p><p>Coordinadora stonker: Mary Jones.</p></div><div><p>Certified.</p><p>Responsible: Jane Doe, CISO.</p></div></div>';
  const source = { url: 'https://acme.test/', html, page: openPage(html), region: null };
  expect(readTeamCards(source).flatMap(({ phones }) => phones)).toEqual([]);
});
