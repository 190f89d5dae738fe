import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTermIds, termId } from '#src/documents/bm25.ts';
import { createWordTable } from '#src/documents/scan-words.ts';
import {
  scanFeatures,
  termIds,
  tokenize,
  tokenizeWords,
  WORD_PATTERN,
} from '#src/documents/tokenize.ts';

const PIECES = [
  ...Array.from("aBz09'’-_. \n“”…é"),
  ...Array.from('漢あ한ไ½Ⅷ№'),
  '\u0301',
  '😀',
  '𠮷',
  '𝐀',
  '\ud83d',
  '\udc00',
  'time-sharing',
  'C++ and Node.js 2.14.3',
];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme' })))
  .map((pieces) => pieces.join(''));

function scanned(text: string): [word: string, start: number][] {
  const words: [string, number][] = [];
  const table = createWordTable(
    (word) => word,
    () => undefined,
  );
  table.scan(text, (word, start) => words.push([word, start]));
  return words;
}
const matched = (text: string): [word: string, start: number][] =>
  Array.from(text.matchAll(WORD_PATTERN), ({ 0: word, index }) => [word, index]);

test('the words are those of the pattern, where they stand', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(scanned(text)).toEqual(matched(text));
    }),
    { numRuns: 2_000 },
  );
});

test('endless words are cut as the pattern cuts them', () => {
  for (const text of [
    'a'.repeat(70_001),
    'a-'.repeat(40),
    `${'a'.repeat(30_000)}-b`,
    '𠮷'.repeat(30_001),
  ])
    expect(scanned(text)).toEqual(matched(text));
});

test('an entry is made once for a word, and again after all are forgotten, between texts', () => {
  const made: string[] = [];
  let forgotten = 0;
  const table = createWordTable(
    (word) => made.push(word),
    () => (forgotten += 1),
  );
  table.scan('queue queue Queue', () => undefined);
  expect(made).toEqual(['queue', 'Queue']);
  const many = Array.from({ length: 60_000 }, (_, n) => `w${n}`).join(' ');
  let taken = 0;
  table.scan(many, () => (taken += 1));
  expect([taken, forgotten]).toEqual([60_000, 0]);
  table.scan('queue', () => undefined);
  expect([made.at(-1), forgotten]).toEqual(['queue', 1]);
});

test('words that share their hashes are all found', () => {
  // The hash of a word is the product of its units with powers of an odd number: units of 0x100 apart often meet.
  const words = Array.from({ length: 40_000 }, (_, n) =>
    n.toString(3).replaceAll(/./g, (d) => 'aAǡ'.charAt(Number(d))),
  );
  expect(scanned(words.join(' ')).map(([word]) => word)).toEqual(words);
});

test('the term ids of a text are those of its terms, whatever the workspace', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 3 }), (text, salt) => {
      const ids = Array.from(termIds(text, salt)).sort((a, b) => a - b);
      expect(ids).toEqual(
        tokenize(text)
          .map((term) => termId(term, salt))
          .sort((a, b) => a - b),
      );
      expect(new Set(ids).size).toBe(countTermIds(tokenize(text), salt).size);
    }),
    { numRuns: 1_000 },
  );
});

test('the features of a text are those of its plain words; equal words share theirs', () => {
  const met: string[] = [];
  const objects = new Set<object>();
  const text = 'Queue queue QUEUE time-sharing Time';
  scanFeatures(text, (features) => {
    met.push(features.word);
    objects.add(features);
  });
  expect(met).toEqual(tokenizeWords(text));
  expect(objects.size).toBe(new Set(met).size);
});
