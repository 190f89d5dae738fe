import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { areMostlyNames, nameEvidence, wordBeforeName } from '#src/leads/extract/name-evidence.ts';
import { NO_NAME_WORDS, PARTICLES } from '#src/leads/extract/name-words.ts';
import { plainLetters, ROLE_WORDS } from '#src/leads/extract/role-lexicon.ts';

describe('the words of a name', () => {
  test.each([
    'Jane Doe',
    'Jean-Pierre Xylo',
    'Dr. Ingrid Salveson',
    'ÓSCAR VICIÉN',
    'Doe, Jane',
    'Ayşegül Öztürk',
    'Wojciech Cichoń',
    'Libuše Čapková',
    'Ragnhild Espeland',
    'Στέλιος Ψωμαδάκης',
    'ΓΙΏΡΓΟΣ ΠΑΠΠΆΣ',
    'Оксана Мельник',
    'Петър Стоянов',
    'Fatoumata Keïta',
    'Priya Raman',
    'Nguyên Minh',
  ])('begin with a known given name: %s', (name) => {
    expect(nameEvidence(name)).toBe('known');
  });

  test.each([
    ['an initial', 'J. Doe'],
    ['a given name that is a word', 'Rose Garden'],
    ['a given name that is a place', 'Victoria Lake'],
    ['a surname in front', 'Lakatos Edit'],
    ['an institution named after somebody', 'Fondazione Maria Rossi'],
    ['a street named after somebody', 'Rua João Silva'],
    ['a particle', 'Grelva van Tschugg'],
    ['a surname by its form', 'Grelva Tschuggová'],
    ['another script', '田中 一郎'],
    ['a script of which few names are known', 'रमेश कुमार'],
  ])('do not tell, with %s: %s', (_, name) => {
    expect(nameEvidence(name)).toBe('unsure');
  });

  test.each([
    'Polígono El Pinar',
    'Campus Police',
    'Huijbregts Makelaars',
    'Starostwo Powiatowe',
    'Bankhaus Rheinau',
    'Upper Tarnbeck',
    'Opening Hours',
    'Служба Поддержки',
  ])('do not speak for a person: %s', (name) => {
    expect(nameEvidence(name)).toBe('unknown');
  });
});

test('a place has names of people if three of four known texts begin with a given name', () => {
  expect(areMostlyNames(['Jane Doe', 'John Smith'])).toBe(true);
  expect(areMostlyNames(['Jane Doe', 'Jane Doe'])).toBe(false);
  expect(areMostlyNames(['Jane Doe', 'John Smith', 'Upper Tarnbeck'])).toBe(false);
  expect(areMostlyNames(['Jane Doe', 'John Smith', 'Anna Berg', 'Upper Tarnbeck'])).toBe(true);
});

describe('a word before a name', () => {
  test.each([
    ['Byggnadsinspektör Ville Kuoppala', 'Byggnadsinspektör'],
    ['Ortsbrandmeister Jan-Hinrich Feindt', 'Ortsbrandmeister'],
  ])('is no part of it: %s', (name, word) => {
    expect(wordBeforeName(name)).toBe(word);
  });

  test.each([
    'Jane Doe',
    'Maria Teresa Rossi',
    'Kovács Anna Mária',
    'Fadwa El Amrani',
    'Nguyễn Thị Lan',
    'Tschugg, Thi Lan',
    'Grelva Tschugg Xylo',
  ])('is not in %s', (name) => {
    expect(wordBeforeName(name)).toBeNull();
  });
});

describe('the list of given names', () => {
  const path = new URL('../../../../src/leads/extract/given-names.txt', import.meta.url);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const words = lines.flatMap((line) => line.split(' ')).map((word) => word.replace('~', ''));

  test('is sorted, in plain letters, a line for each initial letter', () => {
    expect(words).toEqual([...new Set(words)].toSorted());
    expect(words.filter((word) => plainLetters(word) !== word)).toEqual([]);
    const initials = lines.map((line) => line.replace('~', '').charAt(0));
    expect(initials).toEqual([...new Set(initials)]);
  });

  test('has no word that is never a name, and marks those that are roles', () => {
    const known = lines.flatMap((line) => line.split(' ')).filter((word) => !word.startsWith('~'));
    expect(words.filter((word) => NO_NAME_WORDS.has(word) || PARTICLES.has(word))).toEqual([]);
    expect(known.filter((word) => ROLE_WORDS.has(word))).toEqual([]);
  });
});
