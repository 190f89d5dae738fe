import fc from 'fast-check';
import { expect, test } from 'vitest';

import { termId } from '#src/documents/bm25.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import {
  orderedTermIds,
  scanTerms,
  stableTerms,
  tokenize,
  tokenizeWords,
  WORD_PATTERN,
} from '#src/documents/tokenize.ts';

test('words are lower-cased, stemmed and stripped of stop words', () => {
  expect(tokenize('The Queues are RUNNING, and the queue runs')).toEqual([
    'queue',
    'run',
    'queue',
    'run',
  ]);
});

test('identifiers are kept whole and in parts, however they are joined', () => {
  expect(tokenize('parseHttpRequest')).toEqual(['parsehttprequest', 'pars', 'http', 'request']);
  expect(tokenize('XMLParser')).toEqual(['xmlparser', 'xml', 'parser']);
  expect(tokenize('max_retries')).toEqual(['maxretri', 'max', 'retri']);
  expect(tokenize('time-out')).toEqual(['timeout', 'time', 'out']);
});

test('apostrophes leave no fragments', () => {
  expect(tokenize("Claude's O’Reilly don't")).toEqual([
    'claud',
    'oreilli',
    'reilli',
    'dont',
    'don',
  ]);
});

test('numbers are kept', () => {
  expect(tokenize('HTTP 404 in 2024, sha256')).toEqual(['http', '404', '2024', 'sha256']);
});

test('compatibility forms are folded', () => {
  expect(tokenize('ﬁle Ｆｕｌｌ')).toEqual(['file', 'full']);
});

test('scripts without spaces become pairs of characters, even next to Latin ones', () => {
  expect(tokenize('東京都 水 日本語abc')).toEqual(['東京', '京都', '水', '日本', '本語', 'abc']);
});

test('a term is at most 64 characters long', () => {
  expect(tokenize('q'.repeat(10_000))).toEqual(['q'.repeat(64)]);
});

test.each([
  ['Update to v2.14.3-rc1.', ['updat', '2.14.3', '2.14', 'v2', '14', '3rc1', '3', 'rc1']],
  ['release-2.14.3', ['release2', 'releas', '2', '2.14.3', '2.14', '14', '3']],
  ['in 2024. Only 1,5', ['2024', 'onli', '1', '5']],
  ['1.2.3a', ['1.2', '1', '2', '3a']],
  ['C++, C# or F#', ['c++', 'c', 'c#', 'c', 'f#', 'f']],
  ['C++20 and C++17', ['c++20', 'c++', 'c', '20', 'c++17', 'c++', 'c', '17']],
  ['C, c/C++ or 20 C', ['c', 'c alone', 'c', 'c alone', 'c++', 'c', '20', 'c', 'c alone']],
  ['party 🎉👍🏽, 🇩🇪 👩‍🚀 ©', ['parti', '🎉', '👍', '🇩🇪', '👩‍🚀']],
  // The sign that makes it colourful is a mark, and a word to older rows.
  ['❤\uFE0F', ['❤', '\uFE0F']],
  ['🎉', ['🎉']],
  ['i + j #1 a#b', ['i', 'j', '1', 'b']],
  [
    '.NET ASP.NET example.net',
    ['dotnet', 'net', 'aspnet', 'dotnet', 'asp', 'net', 'exampl', 'net'],
  ],
  ['Node.js', ['nodej', 'node', 'js']],
])('%s has its versions and symbols as words of their own', (text, terms) => {
  expect(tokenize(text)).toEqual(terms);
});

test.each([
  ['café', 'cafe'],
  ['Größe', 'grosse'],
  ['łódź', 'lodz'],
  ['København', 'kobenhavn'],
  ['Ёлка', 'елка'],
  ['ISPARTA ısı', 'isi'],
  ['İzmir', 'izmir'],
  ['أحمد', 'احمد'],
  ['Ναί', 'ναι'],
])('%s is found by %s', (text, typed) => {
  expect(tokenize(text)).toEqual(expect.arrayContaining(tokenize(typed)));
});

test('marks that make another letter stay', () => {
  expect(tokenize('йод')).toEqual(['йод']);
  expect(tokenize('हिन्दी')).toEqual(['हिन्दी']);
});

test.each([
  ['Haftpflichtversicherung', ['Versicherung', 'Haftpflicht']],
  ['Haftpflichtversicherungen', ['Versicherung']],
  ['Krankenversicherungsnummer', ['Nummer', 'Versicherung', 'Krankenversicherung']],
  ['Arbeitszeiten', ['Arbeit', 'Zeit']],
  ['Geschäftsordnung', ['Ordnung', 'Geschäft']],
  ['Krankenhausordnung', ['Krankenhaus', 'Haus']],
])('%s is found by its parts', (text, parts) => {
  const terms = tokenize(text);
  const isFound = (part: string) => tokenize(part).some((term) => terms.includes(term));
  expect(parts.filter((part) => !isFound(part))).toEqual([]);
});

test('English words have no parts', () => {
  const text = 'understanding thermodynamics framework airport department information handling';
  expect(tokenize(text)).toEqual(stableTerms(text));
});

test('the terms of an older index are always asked for', () => {
  const unit = fc.constantFrom(
    'a',
    'V',
    '-',
    '_',
    "'",
    '+',
    '#',
    '.',
    'NET',
    '1',
    '23',
    ' ',
    'é',
    'ё',
    'versicherung',
    'C',
    '🎉',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
      const terms = tokenize(text);
      for (const term of stableTerms(text)) expect(terms).toContain(term);
    }),
  );
});

test('words are returned unstemmed and unfiltered, and their stems are the terms', () => {
  expect(tokenizeWords('The runningDogs')).toEqual(['the', 'runningdogs', 'running', 'dogs']);
  expect(stemWord('running')).toBe('run');
  expect(stemWord('été')).toBe('été');
});

test('terms of any text are lower case, short, non-empty and deterministic', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: fc.constantFrom('a', 'Y', '-', '_', "'", '漢', '1', ' ', 'é', '\ud800') }),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      const terms = tokenize(text);
      for (const term of terms) {
        expect(term.length).toBeGreaterThan(0);
        expect(term.length).toBeLessThanOrEqual(64);
        expect(term.isWellFormed()).toBe(true);
      }
      expect(tokenize(text)).toEqual(terms);
    }),
  );
});

test('a million hyphens or ten megabytes without a space neither fail nor stall', () => {
  expect(tokenize('a-'.repeat(1_000_000)).length).toBeGreaterThan(0);
  expect(tokenize('1.'.repeat(1_000_000)).length).toBeGreaterThan(0);
  expect(tokenize('versicherung'.repeat(100_000)).length).toBeLessThan(50);
  expect(tokenize('aB'.repeat(5_000_000)).length).toBeLessThan(500);
  expect(tokenize('漢'.repeat(5_000_000)).length).toBeGreaterThan(4_900_000);
});

test.each([
  'Queues are running late',
  'Release 3.11.2 of C++ and Node.js 🎉 for Größe',
  'C# or F#',
  '',
])('the ids of the terms of "%s" stand in the order of the terms', (text) => {
  const expected = Int32Array.from(tokenize(text), (term) => termId(term, 5));
  expect(orderedTermIds(text, 5)).toEqual(expected);
});

test('each word of a text has the terms that it has by itself', () => {
  const parts = [
    'parseHttpRequest',
    'Time-out',
    'C++',
    'c',
    'v2.14.3',
    '.NET',
    "it's",
    'runs',
    ' ',
    '\n',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts)), (some) => {
      const text = some.join('');
      const found: unknown[] = [];
      expect(scanTerms(text, (terms, start, end) => found.push([start, end, terms]))).toBe(true);
      const expected = Array.from(text.matchAll(WORD_PATTERN), ({ 0: word, index }) => [
        index,
        index + word.length,
        tokenize(word),
      ]);
      expect(found).toEqual(expected);
    }),
  );
  expect(scanTerms('Größe', () => expect.unreachable())).toBe(false);
});
