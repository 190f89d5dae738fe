import { expect, test } from 'vitest';
import { openPage } from '#src/files/open-page.ts';
import { readPageLines } from '#src/leads/extract/page-lines.ts';
import { type Mention, personMentions } from '#src/leads/extract/person-mentions.ts';

const mentions = (html: string, path = '/about'): Mention[] => {
  const page = openPage(html);
  const source = { url: `https://acmeworks.test${path}`, html, page, region: null };
  return personMentions(readPageLines(page.root), source);
};
const has = (sign: string, html: string, path?: string): boolean =>
  mentions(html, path).some(({ signs }) => signs.has(sign));
const TEN = 'Adam Eva Anna Hans Karl Emma Paul Rosa Olga Igor'
  .split(' ')
  .map((name) => `<li>${name} Doe</li>`)
  .join('');

test.each([
  ['courtesy', '<p>Ask Mrs Jane Doe.</p>', '<p>Ask Dr. Jane Doe.</p>'],
  [
    'host in sentence',
    '<p>Jane Doe of Acme Works.</p>',
    '<p>All is well at acme works. Ask Jane Doe.</p>',
  ],
  [
    'other kind in sentence',
    '<p>Jane Doe reads at the library Westend.</p>',
    '<p>Jane Doe reads at our library Westend.</p>',
  ],
  ['in bracket', '<p>Acme Tools (chair: Jane Doe)</p>', '<p>Acme (Tools): Jane Doe</p>'],
  ['in bracket behind capital', '<p>Acme (chair: Jane Doe)</p>', '<p>Office: 12 (Jane Doe)</p>'],
  [
    'own and word before',
    '<p>Von unserem Platzwart Jane Doe.</p>',
    '<p>Unser Wald. Dort war Jane Doe.</p>',
  ],
  [
    'article and comma before',
    '<p>Reach the grellwright, Jane Doe.</p>',
    '<p>Reach a grellwright: Jane Doe.</p>',
  ],
  ['own address on line', '<p>Jane Doe, x@acmeworks.test</p>', '<p>Jane Doe, x@else.test</p>'],
  ['own address above', '<p>x@acmeworks.test</p><p>Jane Doe</p>', '<p>Jane Doe</p>'],
  ['other address below', '<p>Jane Doe</p><p>x@else.test</p>', '<p>Jane Doe</p><p>x@gmail.com</p>'],
  ['fitting address on line', '<p>Jane Doe, doe@else.test</p>', '<p>Jane Doe, x@else.test</p>'],
  ['year on line', '<p>Jane Doe, Berlin 2019</p>', '<p>Jane Doe, Berlin 20195</p>'],
  ['ten names on page', `<ul>${TEN}</ul>`, `<ul>${TEN.replace('Igor', 'Adam')}</ul>`],
  ['firm behind', '<p>Jane Doe, Meadow Press</p>', '<p>Jane Doe, press officer</p>'],
  ['by', '<p>Photo by Jane Doe</p>', '<p>Ask Jane Doe</p>'],
  ['surname of host', '<p>Jane Works</p>', '<p>Jane Doe</p>'],
])('%s', (sign, html, other) => {
  expect(has(sign, html)).toBe(true);
  expect(mentions(other)).not.toEqual([]);
  expect(has(sign, other)).toBe(false);
});

test('the start page is known by its path', () => {
  for (const path of ['/', '/index.php', '/de/', '/home']) {
    expect(has('start page', '<p>Jane Doe</p>', path)).toBe(true);
  }
  expect(has('start page', '<p>Jane Doe</p>', '/about')).toBe(false);
});

test('the dead are not mentioned', () => {
  expect(mentions('<p>Jane Doe † 2019</p>')).toEqual([]);
  expect(mentions('<p>Life members: Jane Doe (dec.)</p>')).toEqual([]);
});
