import { expect, test } from 'vitest';

import {
  normalize,
  signBits,
  sparseVectorLiteral,
  toHalfBits,
  vectorLiteral,
} from '#src/platform/vector.ts';

test('half precision rounds to nearest, ties to even, and keeps signs, infinities and denormals', () => {
  const values = [1, -2, 0, 65_504, 65_520, 1e-7, 1 + 2 ** -11, 1 + 3 * 2 ** -11];
  expect(Array.from(toHalfBits(Float32Array.from(values)))).toEqual([
    0x3c00, 0xc000, 0x0000, 0x7bff, 0x7c00, 0x0002, 0x3c00, 0x3c02,
  ]);
});

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

test('literals are readable by pgvector, with sparse ones counting from one', () => {
  expect(vectorLiteral(Float32Array.from([0.5, -2]))).toBe('[0.5,-2]');
  const sparse = sparseVectorLiteral(8, Int32Array.from([0, 4]), Float32Array.from([1.5, 2]));
  expect(sparse).toBe('{1:1.5,5:2}/8');
  expect(sparseVectorLiteral(8, new Int32Array(), new Float32Array())).toBe('{}/8');
});
