import { PGlite } from '@electric-sql/pglite';
import { vector as pgvector } from '@electric-sql/pglite-pgvector';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparePlanes, toBitPlanes } from '#src/documents/bit-planes.ts';
import { normalize, signBits } from '#src/platform/vector.ts';
import { componentsOfPlanes } from '#test/support/components-of-planes.ts';

/** As many zeros and ones as there are bits, as Postgres writes them. */
function digits(bytes: Uint8Array, count: number): string {
  return Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .slice(0, count);
}

function columnsOf(vector: Float32Array) {
  const { bits, bitCount, scale } = toBitPlanes(vector);
  const ofSigns = digits(signBits(vector), vector.length);
  return { bits: ofSigns, planes: digits(bits, bitCount), scale };
}

/** What the statement of a search computes. */
function productOf(query: Float32Array, stored: Float32Array): number {
  const { parts, most, scale } = comparePlanes(query);
  const columns = columnsOf(stored);
  const all = columns.planes + columns.bits;
  const distance = parts.reduce((sum, { from, length, query: hex, weight }) => {
    const asked = digits(Buffer.from(hex, 'hex'), length);
    const own = all.slice(from, from + length);
    return sum + weight * Array.from(own).filter((digit, at) => digit !== asked[at]).length;
  }, 0);
  return scale * columns.scale * (most - 2 * distance);
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

test('components become odd levels with the sign of the component, the largest up to 63', () => {
  const vector = Float32Array.of(0.5, -0.5, 0.01, -0.01, 0, 0.7);
  expect(componentsOfPlanes(columnsOf(vector))).toEqual([23, -23, 1, -1, -1, 33]);
  expect(componentsOfPlanes(columnsOf(Float32Array.of(1, 0, 0, 0)))).toEqual([39, -1, -1, -1]);
  const spike = new Float32Array(64);
  spike[3] = -1;
  expect(componentsOfPlanes(columnsOf(spike))[3]).toBe(-63);
});

test.each([8, 13, 256])('products of %i dimensions are near those of the vectors', (dimensions) => {
  const shape = { minLength: dimensions, maxLength: dimensions };
  // Without bias: the levels are made for components that are spread.
  const components = fc.array(fc.noBias(fc.integer({ min: -1000, max: 1000 })), shape);
  fc.assert(
    fc.property(components, components, (one, other) => {
      const [query, stored] = [one, other].map((all) => normalize(Float32Array.from(all)));
      if (query === undefined || stored === undefined) throw new Error('There are two.');
      expect(Math.abs(productOf(query, stored) - dot(query, stored))).toBeLessThan(0.05);
    }),
    { numRuns: 20 },
  );
});

test('components far above the others do not cost the others their differences', () => {
  const vectors = Array.from({ length: 20 }, (_, seed) => {
    const components = Array.from({ length: 256 }, (_one, index) => Math.sin(index * seed + index));
    return normalize(Float32Array.of(15, -12, ...components));
  });
  for (const query of vectors) {
    for (const stored of vectors) {
      expect(Math.abs(productOf(query, stored) - dot(query, stored))).toBeLessThan(0.03);
    }
  }
});

test('a vector is nearest to itself, and nothing is near to a zero vector', () => {
  const vectors = Array.from({ length: 20 }, (_, seed) =>
    normalize(Float32Array.from({ length: 64 }, (_one, index) => Math.sin(index * seed + seed))),
  );
  for (const query of vectors.slice(1)) {
    const products = vectors.map((stored) => productOf(query, stored));
    expect(products.indexOf(Math.max(...products))).toBe(vectors.indexOf(query));
    expect(productOf(query, query)).toBeCloseTo(1, 1);
  }
  expect(productOf(Float32Array.of(0.6, 0.8), new Float32Array(2))).toBeCloseTo(0);
});

test('Postgres computes the same', async () => {
  await using db = await PGlite.create({ extensions: { vector: pgvector } });
  await db.exec('create extension vector');
  const [query, stored] = [7, 8].map((seed) =>
    normalize(Float32Array.from({ length: 13 }, (_, index) => Math.cos(index * seed))),
  );
  if (query === undefined || stored === undefined) throw new Error('There are two.');
  const { parts, most, scale } = comparePlanes(query);
  const columns = columnsOf(stored);
  const distances = parts.map(
    ({ from, length, query: hex, weight }) =>
      `${weight} * (substring(planes from ${from + 1} for ${length}) <~> 'x${hex}'::bit(${length}))`,
  );
  const { rows } = await db.query<{ product: number }>(
    `select ${scale} * ${columns.scale} * (${most} - 2 * (${distances.join(' + ')})) as product
    from (select '${columns.planes}'::varbit || '${columns.bits}'::bit(13) as planes) stored`,
  );
  expect(rows[0]?.product).toBeCloseTo(productOf(query, stored), 6);
});
