import fc from 'fast-check';
import { expect, test } from 'vitest';

import { phraseForm } from '#src/documents/match-phrase.ts';
import { hashWords } from '#src/documents/search/hash-words.ts';

/** Each word of a form hashed by itself: a form is already what a text is compared as. */
function hashEach(form: string): number[] {
  return form === '' ? [] : form.split(' ').map((word) => hashWords(word)[0] ?? 0);
}

const PIECES = [
  ...Array.from("aBz09'’-_. \n“”…é"),
  ...Array.from('ÉßªµÅΣσςπЁёй½Ⅷﬁ№'),
  ...Array.from('漢あ한ไทย'),
  '\u0301',
  '\u1161',
  '😀',
  "don't",
  'naïve',
  'Å',
];

test('the hashes are those of the words of the form, whatever the text is made of', () => {
  const texts = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme' })));
  fc.assert(
    fc.property(texts, (pieces) => {
      const text = pieces.join('');
      expect([...hashWords(text)]).toEqual(hashEach(phraseForm(text)));
    }),
    { numRuns: 2_000, examples: [[['a', '’', '\u0301']], [['ῌ', '\u0301']]] },
  );
});

test('words that differ in a letter have different hashes', () => {
  expect(new Set(hashWords('mill mile mild Mill')).size).toBe(3);
  expect([...hashWords('')]).toEqual([]);
});
