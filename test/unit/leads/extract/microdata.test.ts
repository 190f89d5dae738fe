import { openPage } from '#src/files/open-page.ts';
import { describe, expect, test } from 'vitest';
import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import type { PageSource } from '#src/leads/extract/page-source.ts';
import { readMicrodata } from '#src/leads/extract/microdata.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const MOST_MS = 10_000;
const PERSON = 'itemscope itemtype="https://schema.org/Person"';
const HOUSE = 'itemscope itemtype="http://schema.org/LocalBusiness"';

function sourceOf(html: string): PageSource {
  return { url: 'https://acme.example/a/team', html, page: openPage(html), region: 'US' };
}

const read = (html: string): ContactCard[] => readMicrodata(sourceOf(html));

describe('hostile or misleading markup', () => {
  test('with items that refer to themselves or each other comes to an end', () => {
    const cards =
      read(`<div ${PERSON} id="a" itemref="a b" itemprop="colleague"><b itemprop="name">Jane Doe</b></div>
      <div ${PERSON} id="b" itemref="a b" itemprop="colleague"><b itemprop="name">Jo Li</b></div>`);
    expect(new Set(cards.map((card) => card.name))).toEqual(new Set(['Jane Doe', 'Jo Li']));
  });

  test.each([
    ['items nested 19,000 deep', `<div ${PERSON} itemprop="knows">`.repeat(19_000)],
    [
      'properties nested 19,000 deep',
      `<div ${PERSON}>${'<span itemprop="name">a'.repeat(19_000)}</div>`,
    ],
    [
      '10,000 items that refer to 10,000 elements',
      `<div id="x">${'<b itemprop="name">A B</b>'.repeat(10_000)}</div>${`<p ${PERSON} itemref="x"></p>`.repeat(10_000)}`,
    ],
    ['60,000 items', `<p ${PERSON}><b itemprop="name">A B</b></p>`.repeat(60_000)],
    ['one text of 5 MB', `<div ${PERSON}><p itemprop="name">${'a '.repeat(2_500_000)}</p></div>`],
    [
      'one attribute of 5 MB',
      `<div ${PERSON}><p itemprop="${'name '.repeat(1_000_000)}">A B</p></div>`,
    ],
  ])('is processed in time: %s', (_, html) => {
    const source = sourceOf(html);
    expect(cpuMsOf(() => readMicrodata(source))).toBeLessThan(MOST_MS);
  });

  test('yields no card for properties outside items, empty items and unknown types', () => {
    expect(read('<p itemprop="email">jane@acme.example</p>')).toEqual([]);
    expect(read(`<p ${PERSON}></p><p itemscope><b itemprop="name">Jane Doe</b></p>`)).toEqual([]);
    expect(
      read('<p itemscope itemtype="https://schema.org/Product"><b itemprop="name">Bolt</b></p>'),
    ).toEqual([]);
    expect(
      read(`<p ${PERSON}><b itemprop="name"> </b><a itemprop="email" href="">-</a></p>`),
    ).toEqual([]);
  });

  test('does not turn a reviewer into a contact', () => {
    const cards = read(`<div ${HOUSE}><h1 itemprop="name">Acme</h1>
      <div itemprop="review" itemscope itemtype="http://schema.org/Review">
        <span itemprop="author" ${PERSON}><b itemprop="name">Vi Sitor</b></span></div></div>
      <div itemscope itemtype="http://schema.org/Review"><span itemprop="author" ${PERSON}>
        <b itemprop="name">Al So</b></span></div>`);
    expect(cards.map((card) => card.name)).toEqual(['Acme']);
  });
});

describe('people and organizations', () => {
  test('have values from attributes or text, depending on the element', () => {
    const cards = read(`<base href="/b/"><DIV ITEMSCOPE ITEMTYPE="http://schema.org/Person">
      <a itemprop="name" href="/jane">Jane<br>Doe</a><style>x</style>
      <span itemprop="jobTitle" content="Head of Sales">boss</span>
      <meta itemprop="telephone" content="+1 555 123 4567">
      <a itemprop="email" href="mailto:jane@acme.example?subject=x">write</a>
      <a itemprop="email" href="/contact">office@acme.example</a>
      <a itemprop="telephone" href="tel:+1-212-736-5000">call</a>
      <link itemprop="sameAs" href="https://www.linkedin.com/in/jane-doe">
      <a itemprop="url" href="jane">page</a><img itemprop="image" src="j.png">
      <data itemprop="worksFor" value="Acme">x</data></DIV>`);
    expect(cards).toHaveLength(1);
    expect(cards[0]).toMatchObject({
      technique: 'microdata',
      kind: 'person',
      name: 'Jane Doe',
      title: 'Head of Sales',
      company: 'Acme',
      emails: ['jane@acme.example', 'office@acme.example'],
      phones: ['+15551234567', '+12127365000'],
      profiles: ['https://www.linkedin.com/in/jane-doe'],
      website: 'https://acme.example/b/jane',
    });
  });

  test('are joined with nested items such as address, contact point and staff', () => {
    const cards = read(`<div ${HOUSE}><h1 itemprop="name">Acme</h1>
      <p itemprop="address" itemscope itemtype="http://schema.org/PostalAddress">
        <span itemprop="streetAddress">1 Main St</span>, <span itemprop="addressLocality">Springfield</span>
        <span itemprop="addressRegion">IL</span> <span itemprop="postalCode">62701</span>
        <meta itemprop="addressCountry" content="US"><b itemprop="telephone">(217) 555-0100</b></p>
      <p itemprop="contactPoint" itemscope><b itemprop="email">info@acme.example</b></p>
      <p itemprop="employee" ${PERSON}><b itemprop="name">Jane Doe</b> <i itemprop="jobTitle">CEO</i></p></div>`);
    expect(cards).toHaveLength(2);
    expect(cards[0]).toMatchObject({
      kind: 'organization',
      name: 'Acme',
      emails: ['info@acme.example'],
      phones: ['+12175550100'],
      address: {
        street: '1 Main St',
        postalCode: '62701',
        locality: 'Springfield',
        region: 'IL',
        country: 'US',
      },
    });
    expect(cards[1]).toMatchObject({
      kind: 'person',
      name: 'Jane Doe',
      title: 'CEO',
      company: 'Acme',
    });
  });

  test('include elements elsewhere on the page that their item refers to', () => {
    const cards = read(`<p id="m"><a itemprop="email" href="mailto:jane@acme.example">m</a></p>
      <p ${PERSON} itemref="none m n"><b itemprop="name">Jane Doe</b></p>
      <p id="n"><span itemprop="worksFor" ${HOUSE}><b itemprop="name">Acme</b></span></p>`);
    expect(cards.find((card) => card.kind === 'person')).toMatchObject({
      name: 'Jane Doe',
      company: 'Acme',
      emails: ['jane@acme.example'],
    });
  });

  test('are understood in other vocabularies and with full property names', () => {
    const cards =
      read(`<p itemscope itemtype="http://data-vocabulary.org/Person"><b itemprop="name">Jane Doe</b>
        <i itemprop="title">CEO</i> <i itemprop="affiliation">Acme</i></p>
      <p itemtype="https://schema.org/Organization"><b itemprop="http://schema.org/name">Acme</b></p>`);
    expect(cards.map(({ name, title, company }) => [name, title, company])).toEqual([
      ['Jane Doe', 'CEO', 'Acme'],
      ['Acme', null, null],
    ]);
  });
});
