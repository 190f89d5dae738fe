import { expect, it } from 'vitest';

import { findCopies, printOf } from '#src/documents/search/find-copies.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const SENTENCES = Array.from(
  { length: 20 },
  (_, n) =>
    `Sentence ${'abcdefghijklmnopqrst'[n]} tells how the ${'mill wheel stone grain'.split(' ')[n % 4]} of part ${'klmnopqrstuvwxyzabcd'[n]} is kept in order.`,
);
const TEXT = SENTENCES.join(' ');
const passage = (text: string, title = 'Guide', chunkCount = 1) => ({
  title,
  text,
  print: printOf(text),
  chunkCount,
});

it('the same text under other titles is one, whatever its case and marks', () => {
  expect(
    findCopies([
      passage(TEXT),
      passage(`**${TEXT.toUpperCase()}**`, 'Guide (2)'),
      passage('Else.'),
    ]),
  ).toEqual([0, 0, 2]);
});

it('a text with one sentence changed is a near-copy, and one with five is not', () => {
  const one = TEXT.replace(
    SENTENCES[3] ?? '',
    'Something quite different stands in this place now.',
  );
  const five = [
    ...SENTENCES.slice(0, 15),
    'All else is new: hoppers, sieves, belts, sacks, carts.'.repeat(5),
  ].join(' ');
  expect(findCopies([passage(TEXT), passage(one), passage(five)])).toEqual([0, 0, 2]);
});

it('texts that differ in a number only are different', () => {
  const invoice = (number: string) => passage(`${TEXT} Number ${number}.`);
  expect(findCopies([invoice('3.11.2'), invoice('3.11.3')])).toEqual([0, 1]);
  const notes = (title: string) => passage(TEXT.replace('kept', 'held'), title, 2);
  expect(findCopies([passage(TEXT, 'Notes 1.2', 3), notes('Notes 1.3')])).toEqual([0, 1]);
});

it('a passage that two documents of different length share does not make them copies, if their titles differ', () => {
  expect(findCopies([passage(TEXT, 'Release 1', 3), passage(TEXT, 'Release 2', 9)])).toEqual([
    0, 1,
  ]);
});

it('short texts are copies only with the same title, and documents without text never', () => {
  expect(findCopies([passage('See attachment.', 'A'), passage('See attachment.', 'B')])).toEqual([
    0, 1,
  ]);
  expect(findCopies([passage('See attachment.', 'A'), passage('See attachment.', 'A')])).toEqual([
    0, 0,
  ]);
  expect(findCopies([passage('', 'A'), passage('', 'A')])).toEqual([0, 1]);
});

it('two hundred passages are compared in a few ms', () => {
  const many = Array.from({ length: 200 }, (_, n) => passage(`${TEXT} ${'xyz '.repeat(n)}`));
  findCopies(many);
  expect(cpuMsOf(() => findCopies(many))).toBeLessThan(250);
});
