import { PGlite } from '@electric-sql/pglite';
import { vector as pgvector } from '@electric-sql/pglite-pgvector';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cosine, fromHalfvec, quantize } from '#src/documents/quantized-vector.ts';
import { normalize } from '#src/platform/vector.ts';

const DIMENSIONS = 64;
const components = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), {
  minLength: DIMENSIONS,
  maxLength: DIMENSIONS,
});

test('the largest component becomes 127 or its negative, others are rounded', () => {
  expect([...quantize(Float32Array.of(0.2, -0.4, 0.1, 0))]).toEqual([64, -127, 32, 0]);
  expect([...quantize(new Float32Array(3))]).toEqual([0, 0, 0]);
});

test('cosines of quantized vectors are near those of the vectors', () => {
  fc.assert(
    fc.property(components, components, (one, other) => {
      const [unit, vector] = [Float32Array.from(one), Float32Array.from(other)].map(normalize);
      if (unit === undefined || vector === undefined) throw new Error('There are two.');
      expect(cosine(unit, quantize(vector))).toBeCloseTo(cosine(unit, vector), 1);
    }),
  );
});

test('nothing is similar to a zero vector', () => {
  expect(cosine(Float32Array.of(1, 0), new Int8Array(2))).toBe(0);
});

test('halfvecs are read from what pgvector sends', async () => {
  await using db = await PGlite.create({ extensions: { vector: pgvector } });
  await db.exec('create extension vector');
  const { rows } = await db.query<{ bytes: Uint8Array }>(
    `select halfvec_send('[0.5,-2,0,65504,0.0000001]'::halfvec) as bytes`,
  );
  const halves = fromHalfvec(rows[0]?.bytes ?? new Uint8Array());
  expect([...halves]).toEqual([0.5, -2, 0, 65_504, 2 ** -23]);
});
