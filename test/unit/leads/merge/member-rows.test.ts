import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';

/** The organisations that a page lists. */
const listed = (body: string, lang = 'es'): string[] =>
  extractPage({
    url: 'https://acme.test/who',
    html: `<html lang="${lang}"><title>Acme</title><body>${body}</body></html>`,
    kind: 'html',
  }).cards.flatMap(({ entity, kind, name }) =>
    entity === 'member' && kind === 'organization' ? (name ?? []) : [],
  );

test('a member with a link around its name has the whole row', () => {
  const row = (name: string, more: string): string =>
    `<tr><td>${name}<br><small>12 staff</small></td><td>${more}</td></tr>`;
  const rows = [
    row('<a href="/members/harbor">Harbor Coffee</a>', 'hello@harborcoffee.test'),
    row('Lincoln Plumbing', 'office@lincolnplumbing.test'),
    row('Maple Street Books', 'hi@maplestreetbooks.test'),
  ];
  const html = `<h1>Members</h1><table>${rows.join('')}</table>`;
  const { cards } = extractPage({ url: 'https://chamber.test/members', html, kind: 'html' });
  const members = cards.filter(({ entity }) => entity === 'member');
  expect(members.map(({ name, emails }) => [name, ...emails])).toEqual([
    ['Harbor Coffee', 'hello@harborcoffee.test'],
    ['Lincoln Plumbing', 'office@lincolnplumbing.test'],
    ['Maple Street Books', 'hi@maplestreetbooks.test'],
  ]);
});

test('an address that a script writes is the only contact of a listed member', () => {
  const script =
    '<script>var a = "lab" + "&#64;"; a = a + "rowlandlab" + "&#46;" + "test"; document.write(a);</script>';
  const card = (name: string, more: string): string => `<div><h3>${name}</h3><p>${more}</p></div>`;
  const cards = [
    card('Harbor Coffee', 'hello@harborcoffee.test'),
    card('Lincoln Plumbing', 'office@lincolnplumbing.test'),
    card('Maple Street Books', 'hi@maplestreetbooks.test'),
    card('Rowland Lab', `${script}<a href="https://www.rowlandlab.test">Web site</a>`),
  ];
  const html = `<h1>Our members</h1>${cards.join('')}`;
  const page = extractPage({ url: 'https://chamber.test/members', html, kind: 'html' });
  const lab = page.cards.find(({ name }) => name === 'Rowland Lab');
  expect(lab?.emails).toEqual(['lab@rowlandlab.test']);
});

describe('what is no list of organisations', () => {
  test('is a team whose people have addresses of the site, below a word that also names lists', () => {
    const person = (name: string, role: string, mail: string): string =>
      `<li><div class="who">${name}</div><div class="what">${role}</div><a href="mailto:${mail}@acme.test">${mail}@acme.test</a></li>`;
    const team = `<h2>Directorio</h2><ul>${person('Jane Doe', 'Directora ejecutiva', 'jane')}${person('John Smith', 'Coordinador de becas', 'john')}${person('Ann Porter', 'Trabajo de campo', 'ann')}${person('Mary Major', 'Comunicaciones', 'mary')}</ul>`;
    expect(listed(team)).toEqual([]);
  });

  test('are links to addresses', () => {
    const person = (name: string, mail: string): string =>
      `<article><div class="who">${name}</div><div class="mail"><a href="mailto:${mail}@acme.test">Send mail</a></div></article>`;
    const names = listed(
      `<h2>Members</h2>${['Jane Doe', 'John Smith', 'Ann Porter'].map((name, at) => person(name, `m${at}`)).join('')}`,
    );
    expect(names.filter((name) => name.startsWith('Send mail'))).toEqual([]);
  });
});

test('offices that are named for their owners are organisations', () => {
  const office = (name: string, site: string): string =>
    `<tr><td><strong>dr. ${name} Ügyvédi Irodája</strong><br>Fő tér 1.</td><td>06-47/361-208</td><td><a href="mailto:iroda@${site}.test">${site}</a></td></tr>`;
  const rows = [
    office('Kiss Tamás', 'kisstamas'),
    office('Nagy Zsófia', 'nagyzsofia'),
    office('Vass Ilona', 'szerencs'),
  ];
  expect(listed(`<table>${rows.join('')}</table>`, 'hu')).toEqual([
    'dr. Kiss Tamás Ügyvédi Irodája',
    'dr. Nagy Zsófia Ügyvédi Irodája',
    'dr. Vass Ilona Ügyvédi Irodája',
  ]);
});

test('an address at a mail provider that spells the name is as good as a domain', () => {
  const place = (name: string, contact: string): string =>
    `<section><h3>${name}</h3><ul><li>03 418 4402</li><li>${contact}</li></ul></section>`;
  const page = (mail: string): string =>
    place('Penguin Walks', '<a href="https://penguinwalks.test">penguinwalks.test</a>') +
    place('Landing Museum', mail) +
    place('Nan’s Fish', 'Open daily');
  expect(listed(page('landingmuseum@gmail.com'), 'en-NZ')).toEqual([
    'Penguin Walks',
    'Landing Museum',
    'Nan’s Fish',
  ]);
  expect(listed(page('jane.doe@gmail.com'), 'en-NZ')).toEqual([]);
});

test('whoever has years behind the name is nobody of a member', () => {
  const card = (name: string, more: string): string =>
    `<section><h3>${name}</h3><p>${more}</p></section>`;
  const house = card(
    'Landing Museum',
    'The collection of Captain Elias Thorne (1831&ndash;1902). house@landingmuseum.test',
  );
  const html = `<h1>Members</h1>${house}${card('Harbor Coffee', 'Owner Jane Doe, hi@harborcoffee.test')}`;
  const { cards } = extractPage({ url: 'https://acme.test/who', html, kind: 'html' });
  const people = cards.filter(({ kind }) => kind === 'person').map(({ name }) => name);
  expect(people).toContain('Jane Doe');
  expect(people).not.toContain('Elias Thorne');
});
