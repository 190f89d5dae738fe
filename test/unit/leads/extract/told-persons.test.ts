import { describe, expect, test } from 'vitest';
import { openPage } from '#src/files/open-page.ts';
import { readPageLines } from '#src/leads/extract/page-lines.ts';
import { statedPersons } from '#src/leads/extract/stated-persons.ts';
import { readTeamCards } from '#src/leads/extract/team-cards.ts';

const read = (text: string, path: string): [string | null, string | null][] => {
  const html = `<p>${text}</p>`;
  const page = openPage(html);
  const source = { url: `https://acme.test${path}`, html, page, region: null };
  return statedPersons(readPageLines(page.root), source).map(({ name, title }) => [name, title]);
};

describe('on a page of people, a known given name is somebody of the organisation', () => {
  test.each([
    ['before a verb', 'Jane Doe has kept the keys since 2009.', null],
    [
      'before what somebody is',
      'Jane Doe, stonker of gates, helps everywhere.',
      'stonker of gates',
    ],
    [
      'behind a word of unknown meaning',
      'Una vez al mes viene la stonkista Dra. Jane Doe.',
      'stonkista',
    ],
    ['behind a place in a list', 'Upper Tarnbeck – Jane Doe', null],
    ['among members', 'Faste medlemmer er ellers Jane Doe.', null],
    ['behind a verb of receiving', 'En recepción te atiende Jane Doe (mañanas).', null],
    ['before a verb of leading', 'For this term Jane Doe chairs the council.', null],
    ['behind "it is"', 'We have one more hand; this year it is Jane Doe.', null],
    ['behind a verb and an article', 'In segreteria risponde la Jane Doe.', null],
    ['in bold', 'Ask for the mill or <b>Jane Doe</b> in the kitchen.', null],
  ])('%s', (_, text, title) => {
    expect(read(text, '/team').map(([name, found]) => [name?.replace('Dra. ', ''), found])).toEqual(
      [['Jane Doe', title]],
    );
    expect(read(text.replaceAll('Jane Doe', 'Grelva Tschugg'), '/team')).toEqual([]);
  });

  test('and so is whom "and" joins to such a name', () => {
    for (const text of [
      'Medlemmer er Jane Doe og John Smith.',
      'Te atienden Jane Doe (mañanas) y John Smith (tardes).',
    ]) {
      expect(read(text, '/team').at(-1)).toEqual(['John Smith', null]);
    }
  });

  test('so is a name that is also a word, behind a verb of leading', () => {
    expect(read('Our bookkeeping is done by Rose Doe and Sara Smith.', '/team')).toEqual([
      ['Rose Doe', null],
      ['Sara Smith', null],
    ]);
    expect(read('Our bookkeeping is done by Rose Doe.', '/about')).toEqual([]);
  });

  test('so is a helper, and a member behind one with a role', () => {
    for (const text of [
      'The secretary, Jane Doe, runs the office with the help of John Smith.',
      'Other members are Mary Jones, Deputy Jane Doe (council) and Dr. John Smith.',
      'Other members are Mary Jones, Deputy Stonk Jane Doe (council) and Dr. John Smith.',
    ]) {
      expect(read(text, '/team').at(-1)?.[0]?.replace('Dr. ', '')).toBe('John Smith');
      expect(read(text.replace('John Smith', 'Grelva Tschugg'), '/team').at(-1)?.[0]).toBe(
        'Jane Doe',
      );
    }
  });

  test.each([
    'Fresh bread comes from <b>Jane Doe</b> of Marsh Ridd Partners.',
    'Jane Doe of Marsh Ridd Partners blesses the bin.',
    'Jane Doe planted the first vines in 1968.',
    'The keys were kept by the organisation Jane Doe',
    'In the chair came la presidencia Jane Doe (2001-2013).',
    'Jane Doe thanks John Smith.',
    'Our guest Jane Doe sang.',
    'And Jane Doe blesses the bin.',
  ])('but not in: %s', (text) => {
    expect(read(text, '/team')).toEqual([]);
  });

  test('on other pages it is not', () => {
    expect(read('Jane Doe has kept the keys since 2009.', '/fair')).toEqual([]);
    expect(read('Upper Tarnbeck – Jane Doe', '/fair')).toEqual([]);
  });
});

test('who is reached by a contact is one on any page, unless another name is before', () => {
  expect(read('Bordbestilling hos Jane Doe på 86 55 01 28.', '/visit')).toEqual([
    ['Jane Doe', null],
  ]);
  expect(read('Groups book with Jane Doe, 020 7946 0958.', '/visit')).toEqual([['Jane Doe', null]]);
  expect(read('Cheese by Jane Doe, 020 7946 0958.', '/visit')).toEqual([]);
  expect(read('Cheese from Podere Ghiro (Jane Doe, 338 410 7719).', '/about')).toEqual([]);
  expect(read('Accounts: Servis Bilanca, Jane Doe, 021 555 922', '/contact')).toEqual([]);
});

test('who leads something is one on any page, unless juries and other bodies are presided over', () => {
  expect(read('Spåren körs av Jane Doe.', '/tracks')).toEqual([['Jane Doe', null]]);
  expect(read('A gestão está a cargo de Jane Doe.', '/firm')).toEqual([['Jane Doe', null]]);
  expect(read('L’atelier, dirigé par le maître Jane Doe.', '/craft')).toHaveLength(1);
  expect(read('La giuria presieduta da Jane Doe.', '/show')).toEqual([]);
  expect(read('La Banda, dirigida por el invitado Jane Doe.', '/show')).toEqual([]);
});

test('a role may follow "as", years may stand in an office, and a deputy is "his"', () => {
  expect(read('The board, with Jane Doe as secretary and others.', '/about')).toEqual([
    ['Jane Doe', 'secretary'],
  ]);
  expect(read('Przewodniczącą rady kadencji 2024–2029 jest Jane Doe.', '/fair')).toEqual([
    ['Jane Doe', 'Przewodniczącą rady kadencji'],
  ]);
  expect(
    read('Vorsitzender ist John Smith, seine Stellvertreterin Dr. Jane Doe.', '/fair'),
  ).toHaveLength(2);
  expect(read('Wir danken für seine Stellvertreterin Jane Doe.', '/fair')).toEqual([]);
});

test('"our" and words of unknown meaning make a known name one of the organisation', () => {
  const people = (text: string): (string | null)[][] => {
    const html = `<p>${text}</p>`;
    const source = { url: 'https://acme.test/fair', html, page: openPage(html), region: null };
    return readTeamCards(source).map(({ name, title }) => [name, title]);
  };
  expect(people('Lo supervisó nuestra residente de obra, Ing. Jane Doe.')).toEqual([
    ['Ing. Jane Doe', 'residente de obra'],
  ]);
  expect(people('Thanks to our good friend, Jane Doe.')).toEqual([]);
  expect(people('Our long-standing customer, Jane Doe, agrees.')).toEqual([]);
  expect(people('Our stonker, Jane Doe of Marsh Ridd Partners.')).toEqual([]);
  expect(people('Our stonker, Grelva Tschugg.')).toEqual([]);
});

test('a heading with a role makes what is below it about people', () => {
  const html = '<h2>Trainer</h2><p>Jane Doe has kept the keys since 2009.</p>';
  const page = openPage(html);
  const source = { url: 'https://acme.test/fair', html, page, region: null };
  expect(statedPersons(readPageLines(page.root), source)).toHaveLength(1);
  const other = openPage(html.replace('Trainer', 'Fair'));
  expect(statedPersons(readPageLines(other.root), { ...source, page: other })).toEqual([]);
});
