import { expect, test } from 'vitest';
import { openPage } from '#src/files/open-page.ts';
import { readScriptJson } from '#src/leads/extract/script-json.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const read = (html: string) =>
  readScriptJson({ url: 'https://acme.test/', html, page: openPage(html), region: 'GB' });
const rows = (html: string) =>
  read(html).map(({ name, title, emails, phones }) => [name, title, emails.join(), phones.join()]);
const island = (data: unknown, attributes = 'type="application/json"') =>
  `<script ${attributes}>${JSON.stringify(data)}</script>`;

const JANE = {
  name: 'Jane Doe',
  role: 'Head of Sales',
  email: 'jane@acme.test',
  phone: '020 7946 0958',
};
const FOUND = [['Jane Doe', 'Head of Sales', 'jane@acme.test', '+442079460958']];

test.each([
  ['an island', island({ props: { team: [JANE] } })],
  [
    'Next.js',
    island(
      { props: { pageProps: { team: [JANE] } } },
      'id="__NEXT_DATA__" type="application/json"',
    ),
  ],
  ['Nuxt 2', `<script>window.__NUXT__={"data":[{"people":[${JSON.stringify(JANE)}]}]};</script>`],
  [
    'Nuxt 3, whose objects hold positions in a list',
    island(
      [
        { people: 1 },
        [2],
        { name: 3, role: 4, email: 5, phone: 6 },
        'Jane Doe',
        'Head of Sales',
        'jane@acme.test',
        '020 7946 0958',
      ],
      'type="application/json" id="__NUXT_DATA__"',
    ),
  ],
  [
    'names in two parts',
    island({
      firstName: 'Jane',
      last_name: 'Doe',
      jobTitle: 'Head of Sales',
      mail: 'jane@acme.test',
      directDial: '020 7946 0958',
    }),
  ],
])('people are read from %s', (_, html) => {
  expect(rows(html)).toEqual(FOUND);
});

test.each([
  ['authors', { author: JANE }],
  ['reviews', { reviews: [JANE] }],
  ['quotations', { citat: JANE, zitate: [JANE] }],
  ['settings', { config: JANE }],
  ['pictures', { image: JANE }],
  ['a name alone', { name: 'Jane Doe' }],
  ['a product', { name: 'Garden Chair', title: 'Oak and steel' }],
  ['a town with a number', { name: 'Palo Alto', id: '6502530000' }],
])('nobody is read from %s', (_, data) => {
  expect(read(island(data))).toEqual([]);
});

test('scripts are never run, and broken JSON is skipped', () => {
  expect(
    read(
      '<script type="application/json">{"name":</script><script>window.__NUXT__=(function(){return {}})()</script>',
    ),
  ).toEqual([]);
});

test.each([
  ['deep', '['.repeat(100_000) + ']'.repeat(100_000)],
  [
    'wide',
    JSON.stringify(
      Array.from({ length: 100_000 }, (_, at) => ({ name: `Jane Doe`, role: `Manager ${at}` })),
    ),
  ],
  ['without an end', `window.__NUXT__ = {${'"a":{'.repeat(50_000)}`],
])('data that is %s takes limited time', (_, text) => {
  const html = `<script type="application/json">${text}</script>`;
  expect(cpuMsOf(() => void read(html))).toBeLessThan(5_000);
  expect(read(html).length).toBeLessThanOrEqual(500);
});
