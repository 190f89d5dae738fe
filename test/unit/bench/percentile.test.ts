import { describe, expect, it } from 'vitest';
import { median, percentile } from '#bench/percentile.ts';

describe('percentile', () => {
  it('is the smallest value that the share of all do not exceed', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([0.5, 0.95, 0.99, 1].map((share) => percentile(values, share))).toEqual([
      50, 95, 99, 100,
    ]);
    expect(values[0]).toBe(100);
  });

  it('sorts numbers as numbers, and says of one value that it is every percentile', () => {
    expect(median([9, 100, 10])).toBe(10);
    expect([0, 0.5, 1].map((share) => percentile([7], share))).toEqual([7, 7, 7]);
  });

  it('is not a number when there is nothing', () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});
