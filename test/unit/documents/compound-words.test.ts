import { expect, test } from 'vitest';

import { compoundPart, compoundsAmong, restsOf } from '#src/documents/compound-words.ts';
import { tokenizeWords } from '#src/documents/tokenize.ts';

test.each([
  ['strassenreinigung', 'reinigung', 'strasse'],
  ['strassenreinigungen', 'reinigung', 'strasse'],
  ['strassenreinigung', 'reinigungen', 'strasse'],
  ['reinigungskosten', 'reinigung', 'kosten'],
  ['trinkwasser', 'wasser', 'trinken'],
  ['kundendienst', 'kunden', 'dienst'],
  ['kundendienst', 'kunde', 'dienst'],
  ['sprachschule', 'sprache', 'schule'],
  ['sprachschule', 'schule', 'sprache'],
  ['arbeitskrafte', 'kraft', 'arbeit'],
  ['kunstleder', 'leder', 'kunst'],
  ['wateroverlast', 'overlast', 'water'],
  ['sjukforsakringen', 'forsakring', 'sjuk'],
  ['tagesausflug', 'ausflug', 'tages'],
])('of %s without %s may be left %s', (compound, word, rest) => {
  expect(restsOf(compound, word)).toContain(rest);
  const part = compoundPart(word);
  const isLookedUp =
    part?.beginnings.some((form) => compound.startsWith(form)) === true ||
    part?.endings.some((form) => compound.endsWith(form)) === true;
  expect(isLookedUp).toBe(true);
});

test.each([
  ['unterscheidung', 'scheidung'],
  ['entscheidung', 'scheidung'],
  ['nachrichten', 'richten'],
  ['leitfaden', 'leiter'],
  ['erfolgreich', 'reich'],
  ['umfangreichen', 'reichen'],
  ['unterlagen', 'unter'],
  ['fensterbank', 'stern'],
  ['haftpflichtversicherung', 'haft'],
  ['wasser', 'wasser'],
])('%s is no compound of %s', (compound, word) => {
  const rests = compoundPart(word) === null ? [] : restsOf(compound, word);
  expect(rests).toEqual([]);
});

test('the long words of texts in languages with compounds are kept, folded', () => {
  const among = (text: string) => [...compoundsAmong(tokenizeWords(text))];
  expect(among('Die Straßenreinigung ist für die Stadt nicht billig.')).toEqual([
    'strassenreinigung',
  ]);
  expect(among('De afvalverwerking van het bedrijf is niet duur.')).toEqual(['afvalverwerking']);
  expect(among('Försäkringsbolaget är det som betalar och inte kommunen.')).toEqual([
    'forsakringsbolaget',
  ]);
  expect(among('Understanding the withdrawal of the van der Waals corrections')).toEqual([]);
  expect(among('La comercialización de los productos')).toEqual([]);
  expect(among('')).toEqual([]);
});
