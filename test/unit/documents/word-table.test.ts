import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTermIds, termId } from '#src/documents/bm25.ts';
import { embedText } from '#src/documents/embed-builtin.ts';
import {
  featurePlaces,
  termIds,
  tokenize,
  tokenizeWords,
  wordFeatures,
  WORD_PATTERN,
} from '#src/documents/tokenize.ts';
import { NUMBER } from '#src/documents/word-features.ts';
import { WordTable } from '#src/documents/word-table.ts';

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
  const table = new WordTable(
    (word) => word,
    () => undefined,
  );
  const length = table.read(text);
  for (let at = 0; at < length; at += 1) words.push([table.entryAt(at), table.starts[at] ?? 0]);
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
  const table = new WordTable(
    (word) => made.push(word),
    () => (forgotten += 1),
  );
  table.read('queue queue Queue');
  expect(made).toEqual(['queue', 'Queue']);
  const many = Array.from({ length: 60_000 }, (_, n) => `w${n}`).join(' ');
  expect([table.read(many), forgotten]).toEqual([60_000, 0]);
  table.read('queue');
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
  const text = 'Queue queue QUEUE time-sharing Time';
  const places = Array.from(featurePlaces(text));
  const numbers = places.map((place) => wordFeatures.records[place + NUMBER] ?? -1);
  expect(numbers.map((number) => wordFeatures.words[number])).toEqual(tokenizeWords(text));
  expect(new Set(places).size).toBe(new Set(tokenizeWords(text)).size);
});

test('a text has the same ids and vector, whatever was read before', () => {
  // Of more than 64 letters, so that it is not kept.
  const long = 'ab'.repeat(40);
  const all = ['C++ and C', `one ${long} two ${long}s`, 'Größe größe', '', 'queue', `${long} C++`];
  const read = (text: string) => [termIds(text, 7).slice(), embedText(text, 256)];
  const alone = all.map((text) => {
    forgetAll();
    return read(text);
  });
  expect(all.map(read)).toEqual(alone);
  expect(all.map(read)).toEqual(alone);
  for (const [at, text] of all.entries()) {
    termIds(text, 8);
    expect(read(text)).toEqual(alone[at]);
    forgetAll();
    expect(embedText(text, 256)).toEqual(alone[at]?.[1]);
  }
});

test('words that are not kept do not fill the memory', () => {
  for (let n = 0; n < 12; n += 1) {
    const words = Array.from({ length: 10_000 }, (_, k) => `${n}x${k}`.padEnd(70, 'z'));
    featurePlaces(words.join(' '));
  }
  expect(wordFeatures.words.length).toBeLessThan(115_000);
});

/** Enough new words that all are forgotten with the next text, and that text. */
function forgetAll(): void {
  forgets += 1;
  tokenizeWords(Array.from({ length: 60_000 }, (_, n) => `f${forgets}n${n}`).join(' '));
  tokenizeWords('other words get the numbers of before');
}
let forgets = 0;
