import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import { normalizeEmail } from '#src/leads/extract/normalize-email.ts';

const emailsOf = (body: string): string[] =>
  [
    ...new Set(
      extractPage({
        url: 'https://www.acme.test/',
        html: `<html lang="en"><body>${body}</body></html>`,
        kind: 'html',
      }).cards.flatMap(({ emails }) => emails),
    ),
  ].toSorted();
const table = (column: string, ...locals: string[]): string =>
  `<table><tr><th>Name</th><th>Role</th><th>${column}</th></tr>${locals
    .map(
      (local, at) =>
        `<tr><td>${at === 0 ? 'Jane Doe' : 'John Smith'}</td><td>Manager</td><td>${local}</td></tr>`,
    )
    .join('')}</table>`;

describe('a column with only the part before the at sign', () => {
  test.each([
    ['E-mail (před @)', '<p>Adresy končí vždy <strong>@acme.test</strong>.</p>'],
    ['E-Mail', '<p>Alle Adressen enden auf …@acme.test</p>'],
    ['E-mail @acme.test', ''],
    ['Mail (…@acme.test)', ''],
  ])('%s gets the domain that the page states', (column, note) => {
    expect(emailsOf(note + table(column, 'jane.doe', 'smith@'))).toEqual([
      'jane.doe@acme.test',
      'smith@acme.test',
    ]);
  });

  test.each([
    ['without a domain', table('E-mail', 'jane.doe', 'smith')],
    [
      'with two domains',
      `<p>@acme.test or @acme.example</p>${table('E-mail', 'jane.doe', 'smith')}`,
    ],
    ['of something else', `<p>Write to @acme.test</p>${table('Room', 'b12', 'b13')}`],
    ['that says there is none', `<p>Write to @acme.test</p>${table('E-mail', '–', 'on request')}`],
  ])('stays without addresses: %s', (_, body) => {
    expect(emailsOf(body)).toEqual([]);
  });

  test('gives them to the people of its rows', () => {
    const { cards } = extractPage({
      url: 'https://www.acme.test/team',
      html: `<body><p>…@acme.test</p>${table('E-mail', 'doe', 'smith')}</body>`,
      kind: 'html',
    });
    const people = cards.filter(({ kind }) => kind === 'person');
    expect(people.map(({ name, emails }) => [name, ...emails])).toEqual([
      ['Jane Doe', 'doe@acme.test'],
      ['John Smith', 'smith@acme.test'],
    ]);
  });
});

test.each([
  ['i n f o @ a c m e . t e s t', ['info@acme.test']],
  ['E-mail: i n f o @ a c m e . t e s t , Tel. 1', ['info@acme.test']],
  ['Mail: s a l e s @ a c m e - w o r k s . t e s t', ['sales@acme-works.test']],
  ['a b c @ home', []],
])('letters with spaces between them are an address: %s', (text, emails) => {
  expect(emailsOf(`<p>${text}</p>`)).toEqual(emails);
});

test.each([
  'etunimi.sukunimi',
  'fornavn.efternavn',
  'fornavn.etternavn',
  'keresztnév.vezetéknév',
  'nume.prenume',
  'ime.prezime',
  'имя.фамилия',
  'eesnimi.perenimi',
])('%s describes addresses and is none', (local) => {
  expect(normalizeEmail(`${local}@acme.test`)).toBeNull();
});
