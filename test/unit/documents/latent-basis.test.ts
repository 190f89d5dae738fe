import { describe, expect, it } from 'vitest';
import { decodeBasis, dot, encodeBasis, foldIn } from '#src/documents/latent-basis.ts';
import { spreadEvenly } from '#src/documents/renew-basis.ts';
import { trainBasis } from '#src/documents/train-basis.ts';

/** Terms of two topics that never stand in one text. */
const HARBOUR = Array.from({ length: 12 }, (_, n) => 1 + n);
const GARDEN = Array.from({ length: 12 }, (_, n) => 101 + n);

function taskOf(texts: readonly (readonly number[])[]) {
  const starts = [0];
  for (const text of texts) starts.push((starts.at(-1) ?? 0) + text.length);
  const ids = texts.flat();
  return {
    starts: Int32Array.from(starts),
    ids: Int32Array.from(ids),
    weights: new Float32Array(ids.length).fill(1),
  };
}

/** Five terms of each topic at a time. */
const texts = Array.from({ length: 240 }, (_, n) => {
  const topic = n % 2 === 0 ? HARBOUR : GARDEN;
  return [0, 1, 3, 5, 8].map((step) => topic[(n + step) % topic.length] ?? 0);
});
const train = (some: readonly (readonly number[])[]) => decodeBasis(trainBasis(taskOf(some)));
const fold = (basis: ReturnType<typeof train>, ids: readonly number[]) =>
  foldIn(basis, Int32Array.from(ids), new Float32Array(ids.length).fill(1));

describe('a basis', () => {
  it('has terms that go together in one direction, though the texts have no word in common', () => {
    const basis = train(texts);
    const [harbour, other, garden] = [
      [1, 2, 3],
      [7, 8, 9],
      [101, 102],
    ].map((ids) => fold(basis, ids));
    if (!harbour || !other || !garden) throw new Error('A text was not folded in.');
    expect(dot(harbour, other)).toBeGreaterThan(0.5);
    expect(Math.abs(dot(harbour, garden))).toBeLessThan(0.05);
    expect(dot(harbour, harbour)).toBeCloseTo(1);
  });

  it('is the same for the same texts, and after it was coded, wherever its bytes stand', () => {
    const bytes = trainBasis(taskOf(texts));
    expect(Buffer.compare(bytes, trainBasis(taskOf(texts)))).toBe(0);
    const within = Buffer.concat([Buffer.from([7]), bytes, Buffer.from([7])]).subarray(1, -1);
    expect(decodeBasis(within)).toEqual(decodeBasis(bytes));
    expect(Buffer.compare(encodeBasis(decodeBasis(bytes)), bytes)).toBe(0);
  });

  it('of equal texts has one direction', () => {
    const basis = train(Array.from({ length: 400 }, () => [1, 2, 3]));
    expect(Math.abs(dot(fold(basis, [1]), fold(basis, [3])))).toBeCloseTo(1, 1);
    expect(basis.scales.every(Number.isFinite)).toBe(true);
  });

  it('counts little what few texts have in common', () => {
    const basis = train([...texts, [501, 502], [501, 502]]);
    const both = fold(basis, [1, 501]);
    expect(dot(both, fold(basis, [1]))).toBeGreaterThan(dot(both, fold(basis, [501])));
  });

  it.each([
    ['no text', []],
    ['empty texts', [[], []]],
    ['texts without a word in common', [[1], [2], [3]]],
  ])('of %s has no terms, and folds everything to nothing', (_, some) => {
    const basis = train(some);
    expect(basis.ids).toHaveLength(0);
    expect(fold(basis, [1, 2]).every((value) => value === 0)).toBe(true);
  });

  it('counts nothing for terms that it does not have', () => {
    const basis = train(texts);
    expect(fold(basis, [1, 2, 999])).toEqual(fold(basis, [1, 2]));
    expect(fold(basis, [999]).every((value) => value === 0)).toBe(true);
  });

  it('keeps the 20,000 terms that count for most', () => {
    const rare = Array.from({ length: 25_000 }, (_, n) => 1_000 + n);
    const basis = train([rare, rare, ...texts]);
    expect(basis.ids).toHaveLength(20_000);
    expect(basis.ids).toEqual(basis.ids.toSorted());
    for (const id of [...HARBOUR, ...GARDEN]) expect(basis.ids.includes(id)).toBe(true);
  });
});

it('a large workspace is sampled evenly', () => {
  const ids = Array.from({ length: 10 }, (_, n) => 100 + n);
  expect(spreadEvenly(ids, 20)).toEqual(ids);
  expect(spreadEvenly(ids, 4)).toEqual([100, 102, 105, 107]);
});
