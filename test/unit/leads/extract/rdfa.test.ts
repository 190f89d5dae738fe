import { openPage } from '#src/files/open-page.ts';
import { describe, expect, test } from 'vitest';
import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import type { PageSource } from '#src/leads/extract/page-source.ts';
import { readRdfa } from '#src/leads/extract/rdfa.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const MOST_MS = 10_000;

function sourceOf(html: string): PageSource {
  return { url: 'https://acme.example/team', html, page: openPage(html), region: 'GB' };
}

const read = (html: string): ContactCard[] => readRdfa(sourceOf(html));

describe('hostile or misleading markup', () => {
  test('with circular references comes to an end', () => {
    const cards = read(`<div vocab="https://schema.org/">
      <p resource="#a" typeof="Organization"><b property="name">Acme</b><a property="member" href="#a"></a>
        <link property="employee" href="#b"></p>
      <p resource="#b" typeof="Person"><b property="name">Jane Doe</b><link property="worksFor" href="#a"></p></div>`);
    expect(cards.map(({ name, company }) => [name, company])).toEqual([
      ['Acme', null],
      ['Jane Doe', 'Acme'],
    ]);
  });

  test.each([
    ['things nested 19,000 deep', '<div typeof="Person" property="knows">'.repeat(19_000)],
    [
      'properties nested 19,000 deep',
      `<div typeof="Person">${'<span property="name">a'.repeat(19_000)}</div>`,
    ],
    [
      'prefixes declared 19,000 deep',
      Array.from(
        { length: 19_000 },
        (_, index) => `<div prefix="p${index}: http://x/${index}">`,
      ).join('') + '<p typeof="Person"></p>',
    ],
    [
      'a list of prefixes of 5 MB',
      `<div prefix="${'a: http://schema.org/ '.repeat(230_000)}" typeof="a:Person"></div>`,
    ],
    ['60,000 things', '<p typeof="Person"><b property="name">A B</b></p>'.repeat(60_000)],
  ])('is processed in time: %s', (_, html) => {
    const source = sourceOf(html);
    expect(cpuMsOf(() => readRdfa(source))).toBeLessThan(MOST_MS);
  });

  test('yields no card for other vocabularies, unknown prefixes, empty values and stray properties', () => {
    expect(
      read('<meta property="og:title" content="Jane Doe"><p property="name">Jane Doe</p>'),
    ).toEqual([]);
    expect(read('<p typeof="sioc:UserAccount" property="foaf:name">admin</p>')).toEqual([]);
    expect(read('<p typeof="x:Person"><b property="x:name">Jane Doe</b></p>')).toEqual([]);
    expect(
      read('<p vocab="http://ogp.me/ns#" typeof="Person"><b property="name">Jane Doe</b></p>'),
    ).toEqual([]);
    expect(
      read('<p vocab="http://schema.org/" typeof=""><b property="name">Jane Doe</b></p>'),
    ).toEqual([]);
    expect(
      read('<p vocab="http://schema.org/" typeof="Person"><b property="name"></b></p>'),
    ).toEqual([]);
  });
});

describe('people and organizations', () => {
  test('are read from RDFa Lite with a vocabulary, nested items and links', () => {
    const cards = read(`<div vocab="http://schema.org/" typeof="LocalBusiness">
      <h1 property="name">Acme</h1><a property="url" href="/">home</a>
      <a property="telephone" href="tel:+44-20-7946-0018">call</a>
      <div property="address" typeof="PostalAddress"><span property="streetAddress">1 High St</span>
        <span property="addressLocality">London</span></div>
      <div property="employee" typeof="Person"><a href="/jane"><span property="name">Jane Doe</span></a>
        <span property="jobTitle">CEO</span><a property="email" href="mailto:jane@acme.example">mail</a>
        <a property="sameAs" href="https://twitter.com/janedoe">t</a></div></div>`);
    expect(cards).toHaveLength(2);
    expect(cards[0]).toMatchObject({
      technique: 'rdfa',
      kind: 'organization',
      name: 'Acme',
      phones: ['+442079460018'],
      website: 'https://acme.example/',
      emails: [],
    });
    expect(cards[0]?.address).toMatchObject({ street: '1 High St', locality: 'London' });
    expect(cards[1]).toMatchObject({
      kind: 'person',
      name: 'Jane Doe',
      title: 'CEO',
      company: 'Acme',
      emails: ['jane@acme.example'],
      profiles: ['https://x.com/janedoe'],
    });
  });

  test('are read with declared or known prefixes of FOAF and vCard', () => {
    const cards = read(`<div prefix="s: https://schema.org/" xmlns:f="http://xmlns.com/foaf/0.1/">
      <p typeof="s:Person"><b property="s:name" content="Jane Doe">J.</b></p>
      <p about="#jo" typeof="f:Person"><span property="f:firstName">Jo</span> <span property="f:surname">Li</span>
        <i property="f:title">Dr</i><a rel="f:mbox nofollow" href="mailto:jo@acme.example">m</a>
        <a rel="f:homepage" href="/jo">h</a></p></div>
      <p typeof="vcard:Individual"><b property="vcard:fn">Ann Oh</b><i property="vcard:role">Nurse</i>
        <span rel="vcard:hasTelephone"><span typeof="vcard:Voice"><a rel="vcard:hasValue" href="tel:+442079460018">t</a></span></span></p>`);
    expect(
      cards.map(({ name, title, emails, phones, website }) => [
        name,
        title,
        emails,
        phones,
        website,
      ]),
    ).toEqual([
      ['Jane Doe', null, [], [], null],
      ['Jo Li', null, ['jo@acme.example'], [], 'https://acme.example/jo'],
      ['Ann Oh', 'Nurse', [], ['+442079460018'], null],
    ]);
  });

  test('are merged from several places into one card', () => {
    const cards = read(`<div vocab="http://schema.org/"><p resource="#jane" typeof="Person">
      <b property="name">Jane Doe</b></p><p about="#jane"><a property="email" href="mailto:jane@acme.example">m</a></p>
      <p resource="#jane"><i property="jobTitle">CEO</i></p></div>`);
    expect(cards).toHaveLength(1);
    expect(cards[0]).toMatchObject({ title: 'CEO', emails: ['jane@acme.example'] });
  });

  test('use schema.org when the vocabulary is missing', () => {
    const [card] = read('<p typeof="Person"><b property="name">Jane Doe</b></p>');
    expect(card?.name).toBe('Jane Doe');
  });
});
