import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { countOccurrences, documentWeights, MAX_WEIGHT, termWeight } from '#src/documents/bm25.ts';
import {
  BucketWriter,
  postingLists,
  readDirectory,
  readPostings,
  toDirectory,
  writeDirectory,
} from '#src/documents/posting-bytes.ts';
import { BestFirst, scorePostings } from '#src/documents/score-postings.ts';
import {
  decodeCounts,
  encodeCounts,
  frequenciesOf,
  frequenciesBehind,
  weightsOf,
} from '#src/documents/term-frequencies.ts';

const terms = fc.uniqueArray(fc.nat(2 ** 29 - 1), { maxLength: 20 });
const place = fc.oneof(fc.nat(300), fc.nat(200_000));
const count = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2 ** 32 - 1 }));

describe('a bucket', () => {
  const bucket = terms.chain((ids) =>
    fc.tuple(
      ...ids
        .toSorted((a, b) => a - b)
        .map((term) =>
          fc
            .uniqueArray(fc.tuple(place, count), { selector: ([at]) => at, maxLength: 30 })
            .map((own) => ({ term, postings: own.toSorted(([a], [b]) => a - b) })),
        ),
    ),
  );

  test('gives back what was written; a term without chunks is left out', () => {
    fc.assert(
      fc.property(bucket, (lists) => {
        const writer = new BucketWriter();
        for (const { term, postings } of lists) {
          writer.term(term);
          for (const [at, times] of postings) writer.add(at, times);
        }
        const bytes = writer.finish();
        const read = postingLists(bytes).map((list) => {
          const postings: [number, number][] = [];
          readPostings(list, (at, times) => void postings.push([at, times]));
          return { term: list.term, chunks: list.chunks, postings };
        });
        const written = lists.filter(({ postings }) => postings.length > 0);
        expect(read).toEqual(written.map((one) => ({ ...one, chunks: one.postings.length })));
        for (const { term, postings } of lists) {
          const [own] = postingLists(bytes, term);
          expect(own?.chunks ?? 0).toBe(postings.length);
        }
      }),
    );
  });

  test('bytes that end too early are refused', () => {
    expect(() => postingLists(Uint8Array.of(1, 0x80))).toThrow('end within a number');
  });
});

test('a directory gives back its ids, in any order, and lengths', () => {
  const chunk = fc.tuple(fc.nat(2 ** 50), fc.option(fc.integer({ min: 0, max: 1_000_000 })));
  fc.assert(
    fc.property(fc.array(chunk), (chunks) => {
      const ids = Float64Array.from(chunks, ([id]) => id);
      const lengths = chunks.map(([, length]) => length);
      expect(readDirectory(writeDirectory(ids, lengths))).toEqual({ ids, lengths });
    }),
  );
});

describe('the counts of a row', () => {
  test('are those that were written, and give the weights of BM25', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300 })), (occurrences) => {
        const ids = Int32Array.from(occurrences);
        const { ids: terms, counts } = countOccurrences(ids);
        const bytes = encodeCounts(counts);
        expect(decodeCounts(bytes, terms.length)).toEqual(counts);
        const row = { terms: [...terms], weights: null, frequencies: bytes };
        expect(frequenciesOf(row)).toEqual({ length: occurrences.length, counts });
        expect(weightsOf(row)).toEqual(documentWeights(ids).weights);
      }),
    );
  });

  test('take no byte where every term occurs once', () => {
    expect(encodeCounts(Uint32Array.of(1, 1, 1))).toHaveLength(0);
    expect(encodeCounts(Uint32Array.of(1, 2, 1, 300))).toEqual(Buffer.of(2, 2, 2, 0xac, 0x02));
  });
});

describe('frequenciesBehind', () => {
  test('finds how often each term occurs and how many there are', () => {
    const counted = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(counted, (counts) => {
        const ids = counts.flatMap((times, n) => Array.from({ length: times }, () => n));
        const { weights } = documentWeights(Int32Array.from(ids));
        const { length, counts: found } = frequenciesBehind(weights);
        // Terms that occur often alone may be those of a shorter text: the weights are then the same.
        const scored = Array.from(found, (times) => Math.fround(termWeight(times, length ?? 0)));
        if (length !== null) expect(scored).toEqual([...weights]);
        if (counts.includes(1)) expect(length).toBe(ids.length);
      }),
    );
  });

  test('keeps weights of another formula', () => {
    const weights = Float32Array.of(0.123, 1.7);
    const { length, counts } = frequenciesBehind(weights);
    expect(length).toBe(null);
    expect(new Float32Array(counts.buffer)).toEqual(weights);
  });
});

describe('scores', () => {
  /** For each chunk how often it has each of five terms, and its number of terms; null: weights of another formula. */
  const chunk = fc.tuple(
    fc.array(fc.oneof(fc.constant(0), fc.nat(300)), { minLength: 5, maxLength: 5 }),
    fc.option(fc.integer({ min: 1, max: 2_000 }), { freq: 8 }),
  );
  const query = fc.array(fc.double({ min: 0.01, max: 20, noNaN: true }), {
    minLength: 5,
    maxLength: 5,
  });

  test('are the sums of BM25, and the best come first', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 400 }), query, fc.nat(50), (chunks, q, wanted) => {
        const weightOf = (times: number, length: number | null) =>
          Math.fround(length === null ? times / 200 : termWeight(times, length));
        const bits = (weight: number) => new Uint32Array(Float32Array.of(weight).buffer)[0] ?? 0;
        const writer = new BucketWriter();
        for (const term of q.keys()) {
          writer.term(term);
          for (const [at, [counts, length]] of chunks.entries()) {
            const times = counts[term] ?? 0;
            if (times > 0) writer.add(at, length === null ? bits(times / 200) : times);
          }
        }
        const ids = Float64Array.from(chunks, (_, at) => 1_000 - at);
        const lengths = chunks.map(([, length]) => length);
        const directory = toDirectory(writeDirectory(ids, lengths));
        const lists = postingLists(writer.finish()).map((list) => ({
          list,
          weight: q[list.term] ?? 0,
        }));
        const best = new BestFirst(q.reduce((sum, weight) => sum + weight * MAX_WEIGHT, 0));
        best.add(directory.ids, scorePostings(directory, lists));
        const expected = chunks
          .map(([counts, length], at) => ({
            key: 1_000 - at,
            score: counts.reduce(
              (sum, times, term) =>
                times === 0 ? sum : sum + (q[term] ?? 0) * weightOf(times, length),
              0,
            ),
          }))
          .filter(({ score }) => score > 0)
          .sort((a, b) => b.score - a.score || a.key - b.key);
        expect(best.count).toBe(expected.length);
        const taken = best.take(wanted);
        expect(taken.length).toBe(Math.min(wanted, expected.length));
        for (const [at, { score }] of taken.entries()) {
          expect(score).toBeCloseTo(expected[at]?.score ?? 0, 9);
        }
        const unordered = new Map(best.takeUnordered(wanted).map((one) => [one.key, one.score]));
        expect(unordered.size).toBe(taken.length);
        const bar = q.reduce((sum, weight) => sum + weight * MAX_WEIGHT, 0) / 4_096;
        const worst = taken.at(-1)?.score ?? 0;
        for (const score of unordered.values()) expect(score).toBeGreaterThan(worst - bar * 1.001);
        const some = new Set(expected.slice(0, 7).map(({ key }) => key));
        expect(new Set(best.among(some).map(({ key }) => key))).toEqual(some);
      }),
    );
  });

  test('are all found where the scores that are looked at first are the highest', () => {
    const ids = Float64Array.from({ length: 1_600 }, (_, at) => at);
    const best = new BestFirst(10);
    best.add(
      ids,
      Float64Array.from(ids, (id) => (id % 16 === 0 ? 10 : 1 + id / 1_600)),
    );
    const taken = best.take(300);
    expect(taken.slice(0, 100).every(({ score }) => score === 10)).toBe(true);
    expect(taken.slice(100).map(({ key }) => key)).toEqual(
      [...ids].filter((id) => id % 16 !== 0 && id > 1_386).toReversed(),
    );
  });
});
