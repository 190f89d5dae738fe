import fc from 'fast-check';
import { expect, test } from 'vitest';

import { stemWord, tokenize, tokenizeWords } from '#src/documents/tokenize.ts';

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
  expect(tokenize('aB'.repeat(5_000_000)).length).toBeLessThan(500);
  expect(tokenize('漢'.repeat(5_000_000)).length).toBeGreaterThan(4_900_000);
});
