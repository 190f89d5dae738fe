import { expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';

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
