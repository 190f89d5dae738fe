import { describe, expect, test } from 'vitest';
import { openPage } from '#src/files/open-page.ts';
import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import { phraseOfTitle } from '#src/leads/extract/role-text.ts';
import { readTeamCards } from '#src/leads/extract/team-cards.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const read = (html: string, url = 'https://acme.test/x'): ContactCard[] =>
  readTeamCards({ url, html, page: openPage(html), region: null });
const rows = (html: string, url?: string): [string | null, string | null, string][] =>
  read(html, url).map(({ name, title, emails }) => [name, title, emails.join()]);

describe('a job title is never', () => {
  test.each([
    'jane@acme.test',
    '030 901820',
    'Lindenallee 4',
    'Since 2015',
    'Joined the company as an apprentice.',
    'She loves bees',
    'E-Mail',
    'Read more',
    'Book now',
    'Happy Customer',
    'Location: Berlin',
    '…',
    'A line that has by far too many words to be what anybody calls a position',
  ])('%j', (text) => {
    expect(phraseOfTitle(text)).toBeNull();
  });

  test('the text of a link beside it', () => {
    const card = (name: string, handle: string): string =>
      `<div><h4>${name}</h4><span>Founder &amp; CEO</span><a href="https://twitter.com/${handle}">t</a></div>`;
    expect(read(card('Ann Lee', 'annlee')).map(({ title }) => title)).toEqual(['Founder & CEO']);
  });

  test('praise below the name of its author', () => {
    const html =
      '<h2>What people say</h2><div><p>Anna Berg, Happy Customer</p></div><div><p>Tom Fox, Loyal Fan</p></div>';
    expect(rows(html)).toEqual([]);
  });

  test('text below the names of products and news', () => {
    const html =
      '<div><h3>Blue Kettle</h3><p>Enamel</p></div><div><h3>Red Teapot</h3><p>Stoneware</p></div><ul><li>Spring Sale - at last</li></ul><p>shop@acme.test</p>';
    expect(rows(html)).toEqual([]);
  });
});

test.each([
  ['Stanowisko: Kurantowy', 'Kurantowy'],
  ['(Pixel Wrangler) – dermot(at)acme.test', 'Pixel Wrangler'],
  ['Chief Fun Officer – jane [at] acme [dot] test', 'Chief Fun Officer'],
  ['Sommelière, Tel. 0671 490088', 'Sommelière'],
  ['Kodan isäntä', 'Kodan isäntä'],
])('the title in %j is %j', (text, title) => {
  expect(phraseOfTitle(text)).toBe(title);
});

const JANE = 'jane@acme.test';
const BOB = 'bob@acme.test';
const BOTH = [
  ['Jane Smith', 'Fun Wizard', JANE],
  ['Bob Jones', 'Cloud Herder', BOB],
];

test.each([
  [
    'list items with obfuscated addresses',
    '<ul><li><strong>Jane Smith</strong>, Fun Wizard &ndash; jane [at] acme [dot] test</li><li><strong>Bob Jones</strong>, Cloud Herder &ndash; bob(at)acme.test</li></ul>',
  ],
  [
    'brackets and colons',
    `<ul><li><b>Jane Smith</b> (Fun Wizard) ${JANE}</li><li><b>Bob Jones</b>: Cloud Herder, ${BOB}</li></ul>`,
  ],
  [
    'captions of figures',
    `<figure><img alt=""><figcaption>Jane Smith — Fun Wizard<br><a href="mailto:${JANE}">mail</a></figcaption></figure><figure><img alt=""><figcaption>Bob Jones — Cloud Herder<br>${BOB}</figcaption></figure>`,
  ],
  [
    'headings with dashes',
    `<h3>Jane Smith — Fun Wizard</h3><p>She came from the north and has stayed ever since.</p><p>${JANE}</p><h3>Bob Jones — Cloud Herder</h3><p>Thirty years without a scratch.</p><p>${BOB}</p>`,
  ],
  [
    'lines with breaks, where titles look like names',
    `<p>Jane Smith<br>Fun Wizard<br>${JANE}</p><p>Bob Jones<br>Cloud Herder<br>${BOB}</p>`,
  ],
  [
    'spans without a telling class name',
    `<div><span>Jane Smith</span><span>Fun Wizard</span><span>${JANE}</span></div><div><span>Bob Jones</span><span>Cloud Herder</span><span>${BOB}</span></div>`,
  ],
  [
    'labels',
    `<div><p><b>Name:</b> Jane Smith</p><p><b>Position:</b> Fun Wizard</p><p>${JANE}</p></div><div><p><b>Name:</b> Bob Jones</p><p><b>Position:</b> Cloud Herder</p><p>${BOB}</p></div>`,
  ],
  [
    'a table with titles before names',
    `<table><tr><td><b>Puesto</b></td><td><b>Nombre</b></td><td><b>Correo</b></td></tr><tr><td>Fun Wizard</td><td>Jane Smith</td><td>${JANE}</td></tr><tr><td>Cloud Herder</td><td>Bob Jones</td><td>${BOB}</td></tr></table>`,
  ],
  [
    'preformatted lines',
    `<pre>Jane Smith\nFun Wizard\n${JANE}</pre><pre>Bob Jones\nCloud Herder\n${BOB}</pre>`,
  ],
])('unknown titles are read from %s', (_, html) => {
  expect(rows(html)).toEqual(BOTH);
});

test('a team page needs no addresses for its titles', () => {
  const html =
    '<div><h3>Sam Reed</h3><p>Puzzle Solver</p></div><div><h3>Ivy Lane</h3><p>Night Owl</p></div>';
  expect(rows(html)).toEqual([]);
  const team = [
    ['Sam Reed', 'Puzzle Solver', ''],
    ['Ivy Lane', 'Night Owl', ''],
  ];
  expect(rows(`<h2>Our Team</h2>${html}`)).toEqual(team);
  expect(rows(html, 'https://acme.test/our-people.html')).toEqual(team);
});

test('one person in a card gets its address; a name elsewhere on the page gets nothing', () => {
  const html =
    '<h1>Bolt Mathers</h1><p>Call (415) 555-2671</p><div class="member"><h3>Nora Hall</h3><p class="role">Snack Czar</p><a href="mailto:nh7@acme.test">mail</a></div>';
  expect(read(html)).toMatchObject([
    { name: 'Nora Hall', title: 'Snack Czar', emails: ['nh7@acme.test'], phones: [] },
  ]);
});

test('a table of one person is read by rows', () => {
  const html =
    '<table><tr><th>Name</th><td>Otto Brand</td></tr><tr><th>Title</th><td>Bell Founder</td></tr><tr><th>Email</th><td>otto@acme.test</td></tr></table>';
  expect(rows(html)).toEqual([['Otto Brand', 'Bell Founder', 'otto@acme.test']]);
});

test('the name of the company is not a person', () => {
  const html =
    '<h1>Viveros Altaluz</h1><p>Síganos en <a href="https://x.com/viverosaltaluz">X</a></p>';
  expect(rows(html, 'https://viveros-altaluz.test/')).toEqual([]);
});

describe('in a sentence', () => {
  test.each([
    ['Contact our CEO John Doe at john.doe@acme.test.', 'John Doe', 'CEO'],
    ['Write to our Head Blacksmith, Lars Ek, at lars.ek@acme.test.', 'Lars Ek', 'Head Blacksmith'],
    [
      'For press, ask Mia Wong, Head of Communications, at mia.wong@acme.test.',
      'Mia Wong',
      'Head of Communications',
    ],
    ['Or CEO Alice Johnson &lt;alice@acme.test&gt;', 'Alice Johnson', 'CEO'],
    ['Reach Tom Kay directly at tom.kay@acme.test', 'Tom Kay', null],
  ])('%j names %s', (text, name, title) => {
    expect(read(`<p>${text}</p>`)).toMatchObject([{ name, title }]);
  });

  test.each([
    'Contact our sales at sales@acme.test.',
    'Send John Doe your story: tips@acme.test',
    'Visit New York and write to york@acme.test',
    'Our own Jane Doe has a post box at post7@acme.test',
  ])('%j names nobody', (text) => {
    expect(rows(`<p>${text}</p>`)).toEqual([]);
  });

  test('a number belongs to a person only without another address in between', () => {
    const phones = (rest: string): string[] =>
      read(`<p>Ask our CEO Jane Doe, jane.doe@acme.test${rest}</p>`).flatMap((card) => card.phones);
    expect(phones(' or +1 202 555 0143.')).toEqual(['+12025550143']);
    expect(phones(', or sales@acme.test, +1 202 555 0143.')).toEqual([]);
  });
});

test.each([
  ['one name repeated', `<p>${'Jane Doe<br>Fun Ann<br>jane@acme.test<br>'.repeat(9000)}</p>`],
  ['names in one text', `<pre>${'Jane Doe\nBee\njane@acme.test\n'.repeat(9000)}</pre>`],
  ['capitals and addresses', `<p>${'Jane Doe Abc Def '.repeat(20)} x@acme.test</p>`.repeat(3000)],
  ['words for @', `<p><b>Jane Doe</b> ${'b [at] '.repeat(55)}</p>`.repeat(3000)],
])('a page of %s is read in time', (_, html) => {
  expect(cpuMsOf(() => read(html))).toBeLessThan(6_000);
});
