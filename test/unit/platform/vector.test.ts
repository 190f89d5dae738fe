import { expect, test } from 'vitest';

import { normalize, signBits, sparseVectorLiteral } from '#src/platform/vector.ts';

test('sign bits store the first dimension in the highest bit, and zero counts as not positive', () => {
  const vector = Float32Array.from([1, 0, -1, 0.1, 0, 0, 0, 2, 3]);
  expect(Array.from(signBits(vector))).toEqual([0b1001_0001, 0b1000_0000]);
});

test('normalizing yields unit length and leaves a zero vector unchanged', () => {
  expect(Array.from(normalize(Float32Array.from([3, 4])))).toEqual([
    Math.fround(0.6),
    Math.fround(0.8),
  ]);
  expect(Array.from(normalize(new Float32Array(3)))).toEqual([0, 0, 0]);
});

test('sparse literals are readable by pgvector, which counts from one', () => {
  const sparse = sparseVectorLiteral(8, Int32Array.from([0, 4]), Float32Array.from([1.5, 2]));
  expect(sparse).toBe('{1:1.5,5:2}/8');
  expect(sparseVectorLiteral(8, new Int32Array(), new Float32Array())).toBe('{}/8');
});
