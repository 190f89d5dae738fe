import fc from 'fast-check';
import { expect, test } from 'vitest';
import { specialWords } from '#src/documents/special-words.ts';

const found = (text: string): [string, number][] =>
  specialWords(text).map(({ words, index }) => [words.join(' '), index]);

test('words are found wherever they stand, near others or far from them', () => {
  const pieces = ['C++20', 'v1.2.3', 'ASP.NET', 'Node.js', 'c#', '1.2.3.4.5.6', '.NET'];
  const gap = fc.integer({ min: 1, max: 60 }).map((length) => ' '.repeat(length));
  fc.assert(
    fc.property(fc.array(fc.tuple(gap, fc.constantFrom(...pieces))), (parts) => {
      let text = '';
      const expected: [string, number][] = [];
      for (const [space, piece] of parts) {
        text += space;
        for (const [words, index] of found(piece)) expected.push([words, text.length + index]);
        text += piece;
      }
      expect(found(text)).toEqual(expected);
    }),
  );
});

test('a word that is part of a longer one is none, however long that is', () => {
  for (const length of [20, 21, 22, 23, 24, 25, 40]) {
    const letters = 'n'.repeat(length);
    expect(found(`${letters}.js`)).toEqual(length === 20 ? [[`${letters}js`, 0]] : []);
    expect(found(`1.${'7'.repeat(length)}`)).toEqual([]);
  }
});
