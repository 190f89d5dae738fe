import { expect, test } from 'vitest';
import {
  haveSurnamesFirst,
  type NamePlace,
  withGivenNameFirst,
} from '#src/leads/extract/name-order.ts';

const PLACE: NamePlace = { language: 'de', region: 'DE', isTurned: false };

test.each([
  ['Kallweit, Verena', 'Verena Kallweit'],
  ['Espenhahn, Dr. Carlo', 'Dr. Carlo Espenhahn'],
  ['Dr. Espenhahn, Carlo', 'Dr. Carlo Espenhahn'],
  ['Espenhahn, Carlo, Dr.', 'Dr. Carlo Espenhahn'],
  ['von der Heide, Anna', 'Anna von der Heide'],
  ['Grelva, Xylo', 'Xylo Grelva'],
  ['BALDUCCI Corrado', 'Corrado Balducci'],
  ['DE SANCTIS Maria Pia', 'Maria Pia De Sanctis'],
  ['Prof. BALDUCCI Corrado', 'Prof. Corrado Balducci'],
  ['VAN DEN BERG Jan', 'Jan Van Den Berg'],
  ["D'AMICO Luca", "Luca D'Amico"],
  ['McDONALD Jane', 'Jane McDonald'],
  ['ŚLIWA-NOWACKA Hanna', 'Hanna Śliwa-Nowacka'],
])('%s is %s', (written, name) => {
  expect(withGivenNameFirst(written, PLACE)).toBe(name);
});

test.each([
  'Jane Doe',
  'JANE DOE',
  'Jean DUPONT',
  'AJ Thomas',
  'GRELVA Tschugg',
  'Jane, Tschugg',
  'Doe Jane',
])('%s stays as it is written', (name) => {
  expect(withGivenNameFirst(name, PLACE)).toBe(name);
});

test('where people write the surname first, only a comma is read', () => {
  for (const place of [
    { ...PLACE, language: 'hu', isTurned: true },
    { ...PLACE, region: 'JP', isTurned: true },
  ]) {
    expect(withGivenNameFirst('KOVÁCS Anna', place)).toBe('KOVÁCS Anna');
    expect(withGivenNameFirst('Kovács Anna', place)).toBe('Kovács Anna');
    expect(withGivenNameFirst('Kovács, Anna', place)).toBe('Anna Kovács');
  }
});

test('a page whose names end with given names has the surnames first', () => {
  const turned = ['mgr Bednarek Alina', 'Cichoń Wojciech', 'Drwęcki Paweł'];
  expect(haveSurnamesFirst(turned)).toBe(true);
  expect(haveSurnamesFirst(turned.slice(1))).toBe(false);
  expect(haveSurnamesFirst([...turned, 'Jane Doe', 'Grelva Tschugg'])).toBe(true);
  expect(haveSurnamesFirst([...turned, 'Jane Doe', 'Anna Hartley'])).toBe(false);
  const place = { ...PLACE, isTurned: true };
  expect(withGivenNameFirst('mgr Bednarek Alina', place)).toBe('mgr Alina Bednarek');
  expect(withGivenNameFirst('García López Ana María', place)).toBe('Ana María García López');
  expect(withGivenNameFirst('Jane Tschugg', place)).toBe('Jane Tschugg');
  expect(withGivenNameFirst('Marie-Noëlle TANGUY', place)).toBe('Marie-Noëlle TANGUY');
});
