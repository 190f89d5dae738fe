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
