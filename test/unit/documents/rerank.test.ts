import { describe, expect, it } from 'vitest';

import { termId } from '#src/documents/bm25.ts';
import { proximity } from '#src/documents/search/proximity.ts';
import { queryTermsOf } from '#src/documents/search/query-terms.ts';
import { smoothScores } from '#src/documents/search/smooth-scores.ts';
import { titleGain } from '#src/documents/search/title-gain.ts';

const idOf = (word: string) => termId(word, 0);
const idsOf = (words: readonly string[]) => Int32Array.from(words, idOf);

const WEIGHTS = new Map([
  [idOf('harbour'), 3],
  [idOf('lantern'), 2],
  [idOf('quay'), 1],
]);

describe('queryTermsOf', () => {
  it('leaves function words out', () => {
    expect(queryTermsOf('What is the harbour for?')).toEqual(['harbour']);
  });

  it('keeps function words when there is nothing else', () => {
    expect(queryTermsOf('how and why')).toEqual(['how', 'why']);
  });

  it('leaves the words of asking out of a sentence, and keeps them in a short query', () => {
    expect(queryTermsOf('find articles')).toEqual(['find', 'articl']);
    expect(
      queryTermsOf('Please find articles that describe harbour lanterns in Danish towns'),
    ).toEqual(['harbour', 'lantern', 'danish', 'town']);
  });
});

describe('proximity', () => {
  it('counts pairs of query words within eight words by the commoner one', () => {
    const far = Array.from({ length: 8 }, () => 'x');
    expect(proximity(WEIGHTS, idsOf(['harbour', ...far.slice(1), 'lantern'])).nearby).toBe(1);
    expect(proximity(WEIGHTS, idsOf(['harbour', ...far, 'lantern'])).nearby).toBe(0);
  });

  it('counts neighbours of the query as a phrase when they stand together', () => {
    expect(proximity(WEIGHTS, idsOf(['lantern', 'x', 'harbour'])).phrase).toBe(2);
    expect(proximity(WEIGHTS, idsOf(['harbour', 'quay'])).phrase).toBe(0);
    expect(proximity(WEIGHTS, idsOf(['lantern', 'x', 'x', 'harbour'])).phrase).toBe(0);
  });

  it('finds the nearest of many occurrences', () => {
    const text = ['harbour', ...Array.from({ length: 20 }, () => 'x'), 'lantern', 'harbour'];
    expect(proximity(WEIGHTS, idsOf(text)).phrase).toBe(2);
  });

  it('compares the rarest words of a very long query only', () => {
    const words = Array.from({ length: 2_000 }, (_, n) => [idOf(`w${n}`), 1 + n / 10_000] as const);
    const text = Int32Array.from(words, ([word]) => word);
    expect(proximity(new Map(words), text).phrase).toBeLessThan(32 * 1.2);
  });
});

describe('titleGain', () => {
  it('is what two more occurrences of a title word add', () => {
    const evidence = { title: idsOf(['quay']), terms: idsOf(['quay', 'harbour']) };
    expect(titleGain([idOf('quay')], WEIGHTS, evidence)).toBeGreaterThan(0);
    expect(titleGain([idOf('harbour')], WEIGHTS, evidence)).toBe(0);
    expect(titleGain([idOf('quay'), idOf('quay')], WEIGHTS, evidence)).toBeCloseTo(
      2 * titleGain([idOf('quay')], WEIGHTS, evidence),
    );
  });
});

describe('smoothScores', () => {
  const chunk = (documentId: number, score: number, text: string) => ({
    documentId,
    score,
    terms: idsOf(text.split(' ')),
  });

  it('lifts what resembles good ones above what resembles none of them', () => {
    const [, like, unlike] = smoothScores([
      chunk(1, 1, 'harbour lantern quay'),
      chunk(2, 0.5, 'harbour lantern boat'),
      chunk(3, 0.5, 'tax form'),
      chunk(4, 0.1, 'tax law'),
    ]);
    expect(like?.score).toBeGreaterThan(unlike?.score ?? 1);
  });

  it('keeps the score of a text that resembles nothing', () => {
    const [alone] = smoothScores([chunk(1, 0.8, 'harbour'), chunk(2, 0.2, 'tax')]);
    expect(alone?.score).toBeCloseTo(0.8);
  });

  it('takes nothing from chunks of the same document', () => {
    const [first] = smoothScores([chunk(1, 0.8, 'harbour'), chunk(1, 0.2, 'harbour')]);
    expect(first?.score).toBeCloseTo(0.8);
  });
});
