import fc from 'fast-check';
import { expect, test } from 'vitest';

import { fuseScores } from '#src/documents/search/fuse-scores.ts';

const leg = (...scores: number[]) => scores.map((score, key) => ({ key, score }));
const keys = (hits: { key: number }[]) => hits.map(({ key }) => key);

test('scores are normalized per leg and combined by weight, with a missing score as zero', () => {
  const lexical = leg(10, 8, 6, 4, 2);
  const dense = [5, 1, 2, 3, 4].map((key, rank) => ({ key, score: 0.9 - rank * 0.1 }));
  const fused = new Map(fuseScores(lexical, dense, 0.3).map(({ key, score }) => [key, score]));
  expect(fused.get(0)).toBeCloseTo(0.7);
  expect(fused.get(5)).toBeCloseTo(0.3);
  expect(fused.get(1)).toBeCloseTo(0.7 * 0.75 + 0.3 * 0.75);
  expect(fused.size).toBe(6);
});

test('a leg with fewer than five hits is fused by rank, since normalizing it would be meaningless', () => {
  const dense = [9, 8, 7, 6, 5, 4].map((key) => ({ key, score: key / 10 }));
  const fused = fuseScores([{ key: 4, score: 0.01 }], dense, 0.3);
  expect(keys(fused)).toEqual([4, 9, 8, 7, 6, 5]);
  expect(fused[0]?.score).toBeLessThanOrEqual(1);
});

test('an empty leg keeps the order of the other, and two empty legs return nothing', () => {
  expect(keys(fuseScores([], leg(1, 3, 2), 0.3))).toEqual([1, 2, 0]);
  expect(fuseScores([], [], 0.3)).toEqual([]);
});

test('a leg without weight or hits has no say, and the scores of the other one count', () => {
  const dense = [9, 8, 7, 6, 5, 4].map((key) => ({ key, score: key / 10 }));
  const byVectors = fuseScores([{ key: 4, score: 7 }], dense, 1);
  expect(keys(byVectors)).toEqual([9, 8, 7, 6, 5, 4]);
  expect(byVectors[1]?.score).toBeCloseTo(0.8);
  expect(keys(fuseScores(leg(1, 3, 2), dense, 0)).slice(0, 3)).toEqual([1, 2, 0]);
  const byWords = fuseScores(leg(10, 8, 6, 4, 2), [], 0.2);
  expect(byWords.map(({ score }) => score.toFixed(2))).toEqual([
    '0.80',
    '0.60',
    '0.40',
    '0.20',
    '0.00',
  ]);
});

test('equal scores all become the top score instead of dividing by zero', () => {
  const fused = fuseScores(leg(2, 2, 2, 2, 2), leg(1, 1, 1, 1, 1), 0.3);
  expect(fused.map(({ score }) => score)).toEqual([1, 1, 1, 1, 1]);
  expect(keys(fused)).toEqual([0, 1, 2, 3, 4]);
});

test('the result is sorted, within 0…1, and contains every key once', () => {
  const anyLeg = fc.uniqueArray(fc.nat(50)).chain((ids) =>
    fc
      .array(fc.double({ noNaN: true, min: -100, max: 100 }), {
        minLength: ids.length,
        maxLength: ids.length,
      })
      .map((scores) => ids.map((key, index) => ({ key, score: scores[index] ?? 0 }))),
  );
  fc.assert(
    fc.property(anyLeg, anyLeg, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, weight) => {
      const fused = fuseScores(a, b, weight);
      expect(new Set(keys(fused))).toEqual(new Set([...keys(a), ...keys(b)]));
      expect(new Set(keys(fused)).size).toBe(fused.length);
      for (const [index, { score }] of fused.entries()) {
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1 + 1e-9);
        expect(score).toBeLessThanOrEqual(fused[index - 1]?.score ?? Infinity);
      }
    }),
  );
});
