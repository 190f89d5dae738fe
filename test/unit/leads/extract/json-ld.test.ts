import { openPage } from '#src/files/open-page.ts';
import { describe, expect, test } from 'vitest';
import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import type { PageSource } from '#src/leads/extract/page-source.ts';
import { readJsonLd } from '#src/leads/extract/json-ld.ts';
import { readBrokenJson } from '#src/leads/extract/repair-json.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const MOST_MS = 10_000;
const MEGABYTE = 1_000_000;

const block = (json: unknown): string =>
  `<script type="application/ld+json">${typeof json === 'string' ? json : JSON.stringify(json)}</script>`;

function sourceOf(html: string): PageSource {
  return { url: 'https://acme.example/team', html, page: openPage(html), region: 'DE' };
}

function read(...blocks: unknown[]): ContactCard[] {
  return readJsonLd(sourceOf(`<html><head>${blocks.map(block).join('\n')}</head></html>`));
}

const named = (cards: ContactCard[], name: string): ContactCard | undefined =>
  cards.find((card) => card.name === name);
const person = (more: object = {}): object => ({ '@type': 'Person', name: 'Jane Doe', ...more });

describe('broken JSON', () => {
  test.each([
    ['a trailing comma', '{"a":"x","b":["y",],}', { a: 'x', b: ['y'] }],
    ['a missing comma between lines', '{"a":"x"\n"b":["y"]}', { a: 'x', b: ['y'] }],
    ['comments', '// one\n{"a":/* two */"x", // three\n"b":["y"]}', { a: 'x', b: ['y'] }],
    [
      'addresses that are not comments',
      '{"a":"https://x.example/a", }',
      { a: 'https://x.example/a' },
    ],
    ['raw line breaks and control characters', '{"a":"x\ny\tz\u0001"}', { a: 'x\ny\tz\u0001' }],
    ['a CDATA wrapper', '<![CDATA[{"a":"x",}]]>', { a: 'x' }],
    ['a commented CDATA wrapper', '//<![CDATA[\n{"a":"x"}\n//]]>', { a: 'x' }],
    ['a wrapper of comments', '<!--\n{"a":"x"}\n-->', { a: 'x' }],
    ['a byte order mark', '\uFEFF{"a":"x"}', { a: 'x' }],
    ['keys and strings in single quotes', `{'a':'x',b:"y"}`, { a: 'x', b: 'y' }],
    ['typographic quotes', '{“a”:“x”}', { a: 'x' }],
    ['quotes inside a string', '{"a":"a "b", and c","d":"e"}', { a: 'a "b", and c', d: 'e' }],
    [
      'escapes that do not exist',
      String.raw`{"a":"it\'s \x","b":"\u00e9"}`,
      { a: "it's x", b: 'é' },
    ],
    ['the whole text in entities', '{&quot;a&quot;:&quot;x&quot;}', { a: 'x' }],
    ['the whole text escaped', String.raw`{\"a\":\"x\"}`, { a: 'x' }],
    ['an unquoted value', '{"a":+49 30 12,"b":undefined}', { a: '+49 30 12', b: null }],
    ['a missing value', '{"a":,"b":"x"}', { b: 'x' }],
    ['an assignment around it', 'var data = {"a":"x"};', { a: 'x' }],
    ['a missing end', '{"a":{"b":["x","y', { a: { b: ['x', 'y'] } }],
    ['brackets that do not match', '{"a":["x"}', { a: ['x'] }],
    ['too many brackets', '{"a":"x"}]}}', { a: 'x' }],
  ])('is read despite %s', (_, text, expected) => {
    expect(JSON.parse(JSON.stringify(readBrokenJson(text)))).toEqual([expected]);
  });

  test('yields every value in a row, and nothing for invalid text', () => {
    const values = readBrokenJson('{"a":1}{"b":2},\n{"c":3}');
    expect(JSON.parse(JSON.stringify(values))).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
    expect(readBrokenJson('')).toEqual([]);
    expect(readBrokenJson('<p>no JSON</p>')).toEqual([]);
  });

  test('cannot pollute prototypes with a key such as __proto__', () => {
    readBrokenJson('{"__proto__":{"polluted":true},}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('hostile or misleading data', () => {
  test.each([
    ['objects nested a million deep', '{"a":'.repeat(MEGABYTE)],
    ['arrays nested 2.5 million deep', '['.repeat(2.5 * MEGABYTE)],
    ['people nested 100,000 deep', '{"@type":"Person","name":"A B","knows":['.repeat(100_000)],
    ['60,000 people in a broken list', `[${'{"@type":"Person","name":"A B"},'.repeat(60_000)}`],
    ['quotes', `{"a":"${'" '.repeat(2.5 * MEGABYTE)}`],
    ['quotes and commas', `{"a":"${'",'.repeat(2.5 * MEGABYTE)}`],
    ['white space', `{"a":"b"${' '.repeat(5 * MEGABYTE)}x`],
    ['backslashes', `{"a":"${'\\'.repeat(5 * MEGABYTE)}`],
    ['letters where a key is expected', `{${'a'.repeat(5 * MEGABYTE)}`],
    ['unclosed comments', '/*'.repeat(2.5 * MEGABYTE)],
  ])('is processed in time: %s', (_, text) => {
    const source = sourceOf(block(text));
    expect(cpuMsOf(() => readJsonLd(source))).toBeLessThan(MOST_MS);
  });

  test('with 20,000 blocks of the same id is merged in time', () => {
    const people = Array.from({ length: 20_000 }, (_, index) =>
      person({ '@id': '#a', email: `p${index}@acme.example` }),
    );
    const source = sourceOf(block(people));
    expect(cpuMsOf(() => readJsonLd(source))).toBeLessThan(MOST_MS);
    expect(readJsonLd(source)[0]?.emails).toHaveLength(20);
  });

  test('with circular references comes to an end', () => {
    const cards = read(
      person({ '@id': '#jane', worksFor: { '@id': '#acme' } }),
      { '@type': 'Organization', '@id': '#acme', name: 'Acme', founder: { '@id': '#jane' } },
      { '@id': '#x', '@type': 'Organization', member: { '@id': '#x' }, worksFor: { '@id': '#x' } },
    );
    expect(cards.map(({ name, company }) => [name, company])).toEqual([
      ['Jane Doe', 'Acme'],
      ['Acme', null],
    ]);
  });

  test('of wrong types or with empty values yields no card', () => {
    expect(read('null', '"text"', '[]', '{}', '7', '{"@type":7}', '{"@type":["Person"]}')).toEqual(
      [],
    );
    const empty = { name: '', email: [null, '', {}], telephone: false, address: [], sameAs: [[]] };
    expect(read({ '@type': 'Person', ...empty }, { '@type': 'Organization', ...empty })).toEqual(
      [],
    );
    expect(
      read({ '@type': 'Product', name: 'Bolt' }, { '@type': 'Service', name: 'Care' }),
    ).toEqual([]);
    expect(read(person({ name: 'admin' }), person({ name: 'jane@acme.example' }))).toEqual([]);
  });

  test('does not turn authors of reviews, comments and questions into contacts', () => {
    const author = { '@type': 'Person', name: 'Vi Sitor', email: 'vi@visitor.example' };
    const cards = read(
      { '@type': 'LocalBusiness', name: 'Acme', review: [{ '@type': 'Review', author }] },
      {
        '@graph': [
          { '@type': 'Review', author: { '@id': '#v' } },
          { ...author, '@id': '#v' },
        ],
      },
      { '@type': 'QAPage', mainEntity: { '@type': 'Question', author } },
      { '@type': 'Article', comment: [{ '@type': 'Comment', author }], author: person() },
    );
    expect(cards.map((card) => card.name)).toEqual(['Acme', 'Jane Doe']);
  });

  test('does not merge people who share an id by mistake', () => {
    const cards = read([person({ '@id': '/team' }), person({ '@id': '/team', name: 'Jo Li' })]);
    expect(cards.map((card) => card.name)).toEqual(['Jane Doe', 'Jo Li']);
  });

  test('does not turn an employer that is only named into a lead of this site', () => {
    const cards = read(person({ worksFor: { '@type': 'Organization', name: 'Elsewhere' } }));
    expect(cards.map(({ name, company }) => [name, company])).toEqual([['Jane Doe', 'Elsewhere']]);
  });
});

describe('people and organizations', () => {
  test('an organization has its contact points, profiles and address, in any spelling', () => {
    const cards = read({
      '@context': 'http://schema.org',
      '@type': ['http://schema.org/Dentist', 'schema:LocalBusiness'],
      name: 'M&uuml;ller &amp; Partner',
      url: '/',
      email: 'mailto:Info@Acme.example?subject=Hi',
      contactPoint: [
        { '@type': 'ContactPoint', telephone: '+49 30 1234567', email: 'sales&#64;acme.example' },
        { '@type': 'ContactPoint', contactType: 'Fax', telephone: '+49 30 1234599' },
      ],
      sameAs: [
        'https://de.linkedin.com/company/acme/',
        'https://twitter.com/Acme?lang=de',
        'https://x.com/share',
      ],
      address: {
        '@type': 'PostalAddress',
        streetAddress: 'Am Markt 1',
        postalCode: '10115',
        addressLocality: 'Berlin',
        addressCountry: { '@type': 'Country', name: 'Germany' },
      },
      description: '<p>We care for&nbsp;teeth.</p>',
    });
    expect(cards).toEqual([
      {
        technique: 'json-ld',
        kind: 'organization',
        entity: null,
        name: 'Müller & Partner',
        title: null,
        company: null,
        emails: ['info@acme.example', 'sales@acme.example'],
        phones: ['+49301234567'],
        profiles: ['https://www.linkedin.com/company/acme', 'https://x.com/acme'],
        website: 'https://acme.example/',
        description: 'We care for teeth.',
        address: {
          street: 'Am Markt 1',
          postalCode: '10115',
          locality: 'Berlin',
          region: '',
          country: 'Germany',
        },
        offset: null,
      },
    ]);
  });

  test('staff listed by an organization works there, through roles and references to other blocks', () => {
    const cards = read(
      {
        '@type': 'Corporation',
        '@id': 'https://acme.example/#org',
        name: 'Acme',
        founder: 'Ada Byron',
        employee: [
          { '@type': 'EmployeeRole', roleName: 'CTO', employee: person({ name: 'Jo Li' }) },
          { name: 'Una Typed', telephone: '030 1234567' },
        ],
        member: { '@id': '#jane' },
      },
      { '@graph': [person({ '@id': '#jane', jobTitle: { '@type': 'DefinedTerm', name: 'CEO' } })] },
    );
    expect(cards.map(({ name, title, company }) => [name, title, company])).toEqual([
      ['Acme', null, null],
      ['Ada Byron', null, 'Acme'],
      ['Jo Li', 'CTO', 'Acme'],
      ['Una Typed', null, 'Acme'],
      ['Jane Doe', 'CEO', 'Acme'],
    ]);
    expect(named(cards, 'Una Typed')?.phones).toEqual(['+49301234567']);
  });

  test('a person is named by parts, works for a named employer, and has no company profile', () => {
    const [card] = read({
      '@type': 'Person',
      givenName: 'Jane',
      familyName: 'Doe',
      jobTitle: ['Head of Sales', 'Board'],
      worksFor: 'Acme',
      sameAs: [
        { '@id': 'https://www.linkedin.com/in/jane-doe' },
        'https://www.linkedin.com/company/acme',
      ],
      url: ['https://x.com/jane', 'https://jane.example/about'],
      telephone: 493012345678,
      'schema:email': { '@value': 'jane@acme.example' },
    });
    expect(card).toMatchObject({
      kind: 'person',
      name: 'Jane Doe',
      title: 'Head of Sales',
      company: 'Acme',
      emails: ['jane@acme.example'],
      profiles: ['https://www.linkedin.com/in/jane-doe', 'https://x.com/jane'],
      website: 'https://jane.example/about',
    });
  });

  test('an id that is also a page address stays an address', () => {
    const id = 'https://acme.example/';
    const cards = read(
      { '@type': 'WebSite', '@id': id, name: 'Acme Blog', url: id, publisher: { '@id': id } },
      { '@type': 'Organization', '@id': id, name: 'Acme', url: id },
    );
    expect(cards.map(({ name, website }) => [name, website])).toEqual([['Acme', id]]);
  });

  test.each([
    ['Restaurant', 'organization'],
    ['AutomotiveBusiness', 'organization'],
    ['NGO', 'organization'],
    ['HomeGoodsStore', 'organization'],
    ['LegalService', 'organization'],
    ['https://schema.org/Person', 'person'],
  ])('%s is a kind of %s', (type, kind) => {
    expect(read({ '@type': type, name: 'Some One' })[0]?.kind).toBe(kind);
  });

  test('a contact point without an owner belongs to the page', () => {
    expect(read({ '@type': 'ContactPoint', email: 'info@acme.example' })[0]).toMatchObject({
      kind: 'page',
      name: null,
      emails: ['info@acme.example'],
    });
  });

  test('a number without a prefix belongs to the country of its address', () => {
    const address = { addressCountry: 'AT', addressLocality: 'Wien' };
    const [card] = read({ '@type': 'Hotel', name: 'Sacher', telephone: '01 514560', address });
    expect(card?.phones).toEqual(['+431514560']);
  });
});
