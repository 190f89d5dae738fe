import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  AVERAGE_TERMS,
  chooseCandidateTerms,
  countTermIds,
  documentWeights,
  idf,
  queryVector,
  TERM_SPACE,
  termId,
  termWeight,
  workspaceSalt,
} from '#src/documents/bm25.ts';

test('a term id is a stable 29-bit number that differs between workspaces', () => {
  const salts = ['a', 'b'].map(workspaceSalt);
  expect(termId('queue', salts[0] ?? 0)).toBe(termId('queue', salts[0] ?? 0));
  expect(termId('queue', salts[0] ?? 0)).not.toBe(termId('queue', salts[1] ?? 0));
  fc.assert(
    fc.property(fc.string(), fc.integer(), (term, salt) => {
      const id = termId(term, salt);
      expect(Number.isInteger(id) && id >= 0 && id < TERM_SPACE).toBe(true);
    }),
  );
});

test('ten thousand words share almost no ids', () => {
  const ids = new Set(Array.from({ length: 10_000 }, (_, index) => termId(`word${index}`, 1)));
  expect(ids.size).toBeGreaterThan(9_995);
});

const idsOf = (terms: string[], salt: number): Int32Array =>
  Int32Array.from(terms, (term) => termId(term, salt));

test('document weights are BM25 with k1 = 1.2 and b = 0.75', () => {
  const terms = ['a', 'a', 'a', ...Array.from({ length: AVERAGE_TERMS - 3 }, (_, n) => `x${n}`)];
  const { ids, weights } = documentWeights(idsOf(terms, 5));
  // At average length the length norm is k1 itself.
  expect(weights[ids.indexOf(termId('a', 5))]).toBeCloseTo((3 * 2.2) / (3 + 1.2), 6);
  expect(weights[ids.indexOf(termId('x0', 5))]).toBeCloseTo(1, 6);
});

test('ids ascend without duplicates and weights are positive, as sparsevec requires', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.integer(), (terms, salt) => {
      const { ids, weights } = documentWeights(idsOf(terms, salt));
      expect(weights).toHaveLength(ids.length);
      expect(Array.from(ids)).toEqual([...new Set(ids)].sort((a, b) => a - b));
      expect(weights.every((weight) => weight > 0)).toBe(true);
    }),
  );
});

test('idf falls with frequency, stays positive, and tolerates counters ahead of the row count', () => {
  expect(idf(1, 10)).toBeCloseTo(Math.log(1 + 9.5 / 1.5), 10);
  expect(idf(10, 10)).toBeGreaterThan(0);
  expect(idf(12, 10)).toBeGreaterThan(0);
  expect(idf(0, 0)).toBeGreaterThan(0);
});

test('a repeated query term counts once per occurrence', () => {
  const counts = countTermIds(['a', 'b', 'a'], 1);
  const a = termId('a', 1);
  const { ids, weights } = queryVector(counts, new Map([[a, 3]]), 100);
  expect(weights[ids.indexOf(a)]).toBeCloseTo(2 * idf(3, 100), 5);
  expect(weights[ids.indexOf(termId('b', 1))]).toBeCloseTo(idf(0, 100), 5);
});

function term(id: number, df: number) {
  return { id, df, idf: idf(df, 1_000_000) };
}

const BOUND = { maxRows: 1_500_000, wantedRows: 100 };
const any = (terms: ReturnType<typeof term>[], n: number, bound = BOUND) =>
  chooseCandidateTerms(terms, n, bound).any;

test('rare terms select the candidates, and frequent ones only score', () => {
  const terms = [term(1, 900_000), term(2, 40), term(3, 60_000), term(4, 20_000)];
  expect(any(terms, 1_000_000)).toEqual([2, 4]);
});

test('at least two terms select candidates while their rows stay within the limit', () => {
  const terms = [term(1, 900_000), term(2, 800_000), term(3, 700_000), term(4, 0)];
  expect(any(terms, 1_000_000)).toEqual([4, 3, 2]);
  expect(any([term(1, 900_000)], 1_000_000)).toEqual([1]);
  expect(any([], 1_000_000)).toEqual([]);
});

test('every term selects candidates in a small index', () => {
  expect(any([term(1, 90), term(2, 80), term(3, 70)], 100)).toEqual([3, 2, 1]);
});

test('no query fetches more rows than the limit', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 50_000 }), { maxLength: 40 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 50_000 }), (dfs, maxRows) => {
      const terms = dfs.map((df, id) => term(id, df));
      const { any: ids, rows } = chooseCandidateTerms(terms, 50_000, { maxRows, wantedRows: 100 });
      const sum = ids.reduce((total, id) => total + (dfs[id] ?? 0), 0);
      expect(sum).toBe(rows);
      expect(rows).toBeLessThanOrEqual(maxRows);
    }),
  );
});

test('a common word only scores when a rare one selects enough rows', () => {
  const bound = { maxRows: 20_000, wantedRows: 100 };
  const plan = chooseCandidateTerms([term(1, 49_000), term(2, 120)], 50_000, bound);
  expect(plan).toEqual({ any: [2], rows: 120, all: [] });
});

test('common words select rows when the rare ones select too few or may be filtered out', () => {
  const terms = [term(1, 49_000), term(2, 30)];
  const bound = { maxRows: 20_000, wantedRows: 100 };
  expect(chooseCandidateTerms(terms, 50_000, bound)).toEqual({ any: [2], rows: 30, all: [1] });
  const narrowed = { maxRows: 20_000, wantedRows: Infinity };
  expect(chooseCandidateTerms([term(1, 49_000), term(2, 120)], 50_000, narrowed).all).toEqual([1]);
});

test('common words alone are combined until few enough rows match, but no further', () => {
  const bound = { maxRows: 20_000, wantedRows: 100 };
  const common = [term(1, 49_000), term(2, 27_000), term(3, 29_000)];
  expect(chooseCandidateTerms(common, 50_000, bound)).toEqual({ any: [], rows: 0, all: [2, 3] });
  const scarce = [term(1, 21_000), term(2, 22_000)];
  expect(chooseCandidateTerms(scarce, 10_000_000, bound).all).toEqual([1]);
});

test('a word weighs more in a short text than in a long one, and at most a little over 2', () => {
  expect(termWeight(1, 20)).toBeGreaterThan(termWeight(1, AVERAGE_TERMS));
  expect(termWeight(1, AVERAGE_TERMS)).toBeGreaterThan(termWeight(1, 2_000));
  expect(termWeight(1, AVERAGE_TERMS)).toBeCloseTo(1);
  expect(termWeight(10_000, AVERAGE_TERMS)).toBeLessThan(2.2);
});
