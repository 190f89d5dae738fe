import { describe, expect, it } from 'vitest';
import {
  chooseMerge,
  gapsOf,
  SEGMENT_SIZES,
  type VectorSegment,
  withoutOverlaps,
} from '#src/documents/vector-segments.ts';

const MOST = 1_000_000;

function segment(from: number, to: number, rows = 0, takesAll = false): VectorSegment {
  return { name: `chunk_vector_promoted_${from}_${to}`, from, to, rows, takesAll };
}

/** Neighbours of these sizes, in thousands of vectors. */
function neighbours(...thousands: number[]): VectorSegment[] {
  return thousands.map((rows, at) => segment(at, at + 1, rows * 1_000));
}

function mergeOf(
  segments: readonly VectorSegment[],
  { most = MOST, isBusy = false } = {},
): number[] {
  return chooseMerge(segments, SEGMENT_SIZES, most, isBusy).map(({ rows }) => rows / 1_000);
}

describe('segments to merge', () => {
  it.each([
    { of: [30, 30, 30], merges: [] },
    { of: [30, 30, 30, 30], merges: [30, 30, 30, 30] },
    // A small one between larger ones goes with them.
    { of: [120, 30, 120, 120], merges: [120, 30, 120, 120] },
    { of: [480, 120, 120, 30, 30], merges: [] },
    // Of unknown size.
    { of: [-0.001, -0.001, -0.001, -0.001], merges: [] },
    { of: [480, 120, 120, 120, 30, 30, 30], merges: [120, 120, 120, 30] },
    { of: [480, 120, 30, 30, 30, 30], merges: [30, 30, 30, 30] },
    { of: [10, 480, 10, 10, 10], merges: [] },
  ])('of $of thousand are $merges', ({ of, merges }) => {
    expect(mergeOf(neighbours(...of))).toEqual(merges);
  });

  it('have no more vectors together than the build has memory for', () => {
    expect(mergeOf(neighbours(120, 120, 120, 120), { most: 400_000 })).toEqual([]);
    expect(mergeOf(neighbours(120, 60, 60, 60, 60), { most: 250_000 })).toEqual([60, 60, 60, 60]);
  });

  it('are few vectors while documents wait, unless there are many segments', () => {
    const large = neighbours(120, 120, 120, 120);
    expect(mergeOf(large, { isBusy: true })).toEqual([]);
    expect(mergeOf(neighbours(30, 30, 30, 30), { isBusy: true })).toHaveLength(4);
    const many = neighbours(...Array.from({ length: 13 }, () => 120));
    expect(mergeOf(many, { isBusy: true })).toEqual([120, 120]);
  });

  it('are two where more do not fit and there are many', () => {
    expect(mergeOf(neighbours(...Array.from({ length: 13 }, () => 450)))).toEqual([450, 450]);
    expect(mergeOf(neighbours(...Array.from({ length: 12 }, () => 450)))).toEqual([]);
  });

  it('stay few while vectors come without a pause, and each is built into few', () => {
    let segments: VectorSegment[] = [];
    let [built, most] = [0, 0];
    for (let number = 0; number < 34; number += 1) {
      segments = [...segments, segment(number, number + 1, 30_000)];
      built += 30_000;
      for (;;) {
        const merged = chooseMerge(segments, SEGMENT_SIZES, MOST, false);
        const [first, last] = [merged.at(0), merged.at(-1)];
        if (!first || !last) break;
        const rows = merged.reduce((sum, one) => sum + one.rows, 0);
        built += rows;
        segments = withoutOverlaps([...segments, segment(first.from, last.to, rows)]);
      }
      most = Math.max(most, segments.length);
    }
    expect(most).toBeLessThanOrEqual(8);
    expect(built / (34 * 30_000)).toBeLessThan(4);
  });
});

describe('segments that overlap', () => {
  it('leave the result of a merge, in the order of numbers', () => {
    const chosen = withoutOverlaps([segment(6, 7), segment(2, 3), segment(0, 4), segment(4, 6)]);
    expect(chosen.map(({ name }) => name)).toEqual([
      'chunk_vector_promoted_0_4',
      'chunk_vector_promoted_4_6',
      'chunk_vector_promoted_6_7',
    ]);
  });

  it('leave the one that takes only its own vectors, and the one that a reindex replaces', () => {
    const own = segment(0, 1);
    const older = { ...segment(0, 1, 0, true), name: 'chunk_vector_promoted' };
    const copy = { ...own, name: 'chunk_vector_promoted_0_1_ccnew' };
    expect(withoutOverlaps([older, copy, own])).toEqual([own]);
    expect(withoutOverlaps([older])).toEqual([older]);
  });
});

it('gaps are before the first segment and between two, not behind the last', () => {
  expect(gapsOf([segment(2, 4), segment(4, 5), segment(7, 8)])).toEqual([
    { from: 0, to: 2 },
    { from: 5, to: 7 },
  ]);
  expect(gapsOf([])).toEqual([]);
});
