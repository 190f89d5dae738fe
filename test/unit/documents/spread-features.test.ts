import { expect, test } from 'vitest';
import { compileSpreader } from '#src/documents/spread-features.ts';

/** Numbers from -0.5 to 0.5 that are the same in every run. */
function numbers(length: number, seed: number): Float32Array {
  return Float32Array.from({ length }, (_, index) => (((index + 1) * seed * 0.618034) % 1) - 0.5);
}

/** By the definition: the sign of row and column is the parity of the bits that both have. */
function transformed(vector: Float32Array): Float32Array {
  return vector.map((_, row) =>
    vector.reduce((sum, value, column) => sum + (isOdd(row & column) ? -value : value), 0),
  );
}

function isOdd(bits: number): boolean {
  let parity = 0;
  for (let rest = bits; rest > 0; rest &= rest - 1) parity ^= 1;
  return parity === 1;
}

function rotated(vector: Float32Array, signs: Float32Array): Float32Array {
  return transformed(vector.map((value, index) => value * (signs[index] ?? 0)));
}

test.each([64, 128, 256, 512, 1024, 2048])(
  'features are spread over %s dimensions as the definition says, to unit length',
  (dimensions) => {
    const rotations = [1, 2].map((seed) =>
      numbers(dimensions, seed + 0.3).map((value) => (value < 0 ? -1 : 1)),
    );
    const features = numbers(dimensions, 7);
    const expected = rotations.reduce(rotated, features);
    const length = Math.hypot(...expected);
    const { vector, spread } = compileSpreader(rotations);
    vector.set(features);
    spread();
    const differences = vector.map((value, index) => value - (expected[index] ?? 0) / length);
    expect(Math.max(...differences.map(Math.abs))).toBeLessThan(1e-6);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
  },
);

test('no features stay none', () => {
  const { vector, spread } = compileSpreader([new Float32Array(256).fill(-1)]);
  spread();
  expect(vector.every((value) => value === 0)).toBe(true);
});
