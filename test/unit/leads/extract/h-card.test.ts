import { mf2 } from 'microformats-parser';
import { openPage } from '#src/files/open-page.ts';
import { describe, expect, test } from 'vitest';
import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import type { PageSource } from '#src/leads/extract/page-source.ts';
import { readHCards } from '#src/leads/extract/h-card.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const MOST_MS = 10_000;
const URL = 'https://acme.example/team';

function sourceOf(html: string): PageSource {
  return { url: URL, html, page: openPage(html), region: 'US' };
}

const read = (html: string): ContactCard[] => readHCards(sourceOf(html));

describe('hostile or misleading markup', () => {
  test.each([
    ['cards nested 19,000 deep', '<div class="h-card p-org">'.repeat(19_000)],
    [
      'properties nested 19,000 deep',
      `<div class="h-card">${'<i class="p-name">a'.repeat(19_000)}</div>`,
    ],
    ['hCards nested 19,000 deep', '<div class="vcard agent"><b class="fn">A B</b>'.repeat(19_000)],
    ['60,000 cards', '<p class="h-card">A B</p>'.repeat(60_000)],
    ['a class of 5 MB', `<div class="h-card ${'p-name '.repeat(700_000)}">A B</div>`],
    ['a name of 5 MB', `<div class="h-card">${'a '.repeat(2_500_000)}</div>`],
    ['unclosed rel attributes', `<p class="vcard">${'rel = '.repeat(700_000)}</p>`],
  ])('is processed in time: %s', (_, html) => {
    const source = sourceOf(html);
    expect(cpuMsOf(() => readHCards(source))).toBeLessThan(MOST_MS);
  });

  test('yields no card for style names, links to vCard files and empty cards', () => {
    expect(read('<div class="h-full p-4"><p class="p-name">Jane Doe</p></div>')).toEqual([]);
    expect(read('<a class="vcard" href="jane.vcf">Download</a><p class="h-card"> </p>')).toEqual(
      [],
    );
    expect(read('<p class="vcard"><b class="fn"></b><i class="title">CEO</i></p>')).toEqual([]);
    expect(
      read('<span class="author vcard"><a class="url fn n" href="/author/admin">admin</a></span>'),
    ).toEqual([]);
  });

  test('does not turn commenters and reviewers into contacts', () => {
    const cards = read(`<div class="comment-author vcard"><cite class="fn">Vi Sitor</cite></div>
      <div class="h-entry"><p class="p-author h-card">Jane Doe</p>
        <div class="p-comment h-cite"><a class="p-author h-card" href="https://v.example/">Vi Sitor</a></div></div>
      <div class="h-review"><p class="p-author h-card">Re Viewer</p><p class="p-item h-card">Acme Inc</p></div>
      <div class="hreview"><p class="reviewer vcard"><b class="fn">Re Viewer</b></p></div>`);
    expect(cards.map(({ name, kind }) => [name, kind])).toEqual([
      ['Jane Doe', 'person'],
      ['Acme Inc', 'organization'],
    ]);
  });

  test('does not turn a fax into a phone number', () => {
    const [card] = read(`<div class="vcard"><b class="fn">Jane Doe</b>
      <p class="tel"><span class="type">Fax</span> <span class="value">+1 217 555 0199</span></p>
      <p class="tel"><abbr class="type" title="work">W</abbr>: +1 217 555 0100</p></div>`);
    expect(card?.phones).toEqual(['+12175550100']);
  });
});

describe('h-card', () => {
  const FULL = `<div class="h-card"><img class="u-photo" src="j.png" alt="Jane">
    <a class="p-name u-url" href="/jane">Jane Doe</a> <span class="p-job-title">CEO</span>
    <a class="p-org h-card" href="https://acme.example/">Acme Inc</a>
    <a class="u-email" href="mailto:jane@acme.example">mail</a> <data class="p-tel" value="+1 217 555 0100">x</data>
    <a class="u-url" href="https://x.com/janedoe">x</a> <p class="p-note">Likes bolts.</p>
    <p class="p-adr h-adr"><span class="p-street-address">1 Main St</span> <span class="p-locality">Springfield</span>
      <span class="p-region">IL</span> <span class="p-postal-code">62701</span> <span class="p-country-name">USA</span></p></div>`;

  test('yields its properties, and its organization as a card of its own', () => {
    const [jane, acme, ...others] = read(FULL);
    expect(jane).toMatchObject({
      technique: 'h-card',
      kind: 'person',
      name: 'Jane Doe',
      title: 'CEO',
      company: 'Acme Inc',
      emails: ['jane@acme.example'],
      phones: ['+12175550100'],
      profiles: ['https://x.com/janedoe'],
      website: 'https://acme.example/jane',
      description: 'Likes bolts.',
      address: {
        street: '1 Main St',
        postalCode: '62701',
        locality: 'Springfield',
        region: 'IL',
        country: 'USA',
      },
    });
    expect(acme).toMatchObject({
      kind: 'organization',
      name: 'Acme Inc',
      website: 'https://acme.example/',
    });
    expect(others).toEqual([]);
  });

  test.each([
    ['a full card', FULL],
    ['a link', '<a class="h-card" href="https://jane.example/">Jane Doe</a>'],
    [
      'an image',
      '<a class="h-card" href="https://jane.example/"><img src="j.png" alt="Jane Doe"></a>',
    ],
    ['an abbreviation', '<p class="h-card"><abbr title="Jane Doe">JD</abbr></p>'],
    [
      'a name in parts',
      '<p class="h-card"><b class="p-name">Jane <i>Doe</i></b> <a class="u-url" href="/j">j</a></p>',
    ],
    [
      'a value class',
      '<p class="h-card"><b class="p-name">A <i class="value">Jane Doe</i></b> <a class="u-url" href="j">j</a></p>',
    ],
  ])('yields the name and url that the microformats2 rules give for %s', (_, html) => {
    const [expected] = mf2(html, { baseUrl: URL }).items;
    const [card] = read(html);
    expect(card?.name).toBe(expected?.properties['name']?.[0]);
    expect(card?.website ?? undefined).toBe(expected?.properties['url']?.[0]);
  });

  test('makes people inside the card of an organization its employees', () => {
    const cards =
      read(`<div class="h-card"><b class="p-name p-org">Acme</b><p class="p-tel">(217) 555-0100</p>
      <p class="p-member h-card"><b class="p-given-name">Jane</b> <b class="p-family-name">Doe</b></p></div>`);
    expect(cards.map(({ kind, name, company, phones }) => [kind, name, company, phones])).toEqual([
      ['organization', 'Acme', null, ['+12175550100']],
      ['person', 'Jane Doe', 'Acme', []],
    ]);
  });

  test('assigns rel=me to the card around it or the only card, else to the page', () => {
    const me =
      '<link REL="me noopener" href="https://www.linkedin.com/in/jane-doe"><a rel=me href="https://x.com/intent/tweet">t</a>';
    const profiles = ['https://www.linkedin.com/in/jane-doe'];
    expect(read(`${me}<p class="h-card">Jane Doe</p>`)).toMatchObject([
      { kind: 'person', profiles },
    ]);
    expect(read(me)).toMatchObject([{ kind: 'page', name: null, profiles }]);
    const two = `<p class="h-card">Jo Li</p><div class="h-card"><b class="p-name">Jane Doe</b>${me}</div>`;
    expect(read(two).map((card) => [card.name, card.profiles])).toEqual([
      ['Jo Li', []],
      ['Jane Doe', profiles],
    ]);
    expect(read('<a rel="home" href="https://x.com/me">me</a>')).toEqual([]);
  });
});

describe('hCard', () => {
  test('yields its properties, with values from titles and parts', () => {
    const [card] =
      read(`<div class="vcard"><span class="n"><b class="given-name">Jane</b> <b class="family-name">Doe</b></span>
      <p class="org"><span class="organization-name">Acme Inc</span>, <span class="organization-unit">Sales</span></p>
      <p class="title">CEO</p><a class="email" href="mailto:jane@acme.example">m</a>
      <p class="email"><span class="type">work</span> <span class="value">office@acme.example</span></p>
      <p class="tel"><span class="value">+1 217</span> <span class="value"> 555 0100</span></p>
      <p class="tel"><span class="value-title" title="+12175550101"> </span>secret</p>
      <a class="url" href="/jane">p</a><p class="adr"><span class="locality">Springfield</span>
      <abbr class="region" title="Illinois">IL</abbr></p><p class="note">Hi.</p></div>`);
    expect(card).toMatchObject({
      kind: 'person',
      name: 'Jane Doe',
      title: 'CEO',
      company: 'Acme Inc',
      emails: ['jane@acme.example', 'office@acme.example'],
      phones: ['+12175550100', '+12175550101'],
      website: 'https://acme.example/jane',
      description: 'Hi.',
    });
    expect(card?.address).toMatchObject({ locality: 'Springfield', region: 'Illinois' });
  });

  test('is an organization when its name is the organization', () => {
    expect(read('<p class="vcard"><b class="fn org">Acme</b></p>')).toMatchObject([
      { kind: 'organization', name: 'Acme', company: null },
    ]);
  });
});
