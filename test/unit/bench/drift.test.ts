import { describe, expect, it } from 'vitest';
import { type Figure, findDrifts } from '#bench/drift.ts';

const figure = (values: number[], more: Partial<Figure> = {}): Figure => ({
  name: 'RSS MB',
  values,
  worse: 'higher',
  threshold: 0.1,
  floor: 5,
  ...more,
});

describe('findDrifts', () => {
  it('names what keeps growing, with the medians of the thirds', () => {
    const growing = Array.from({ length: 9 }, (_, minute) => 100 + 10 * minute);
    expect(findDrifts([figure(growing)])).toEqual([{ name: 'RSS MB', middle: 140, last: 170 }]);
  });

  it('lets the first third warm up', () => {
    expect(findDrifts([figure([10, 50, 90, 100, 100, 100, 101, 100, 99])])).toEqual([]);
  });

  it('does not take what varies anyway for a drift', () => {
    expect(findDrifts([figure([100, 100, 100, 100, 160, 100, 150, 150, 100])])).toEqual([]);
  });

  it('does not count a change that is small as a share, or small by itself', () => {
    expect(findDrifts([figure([100, 100, 100, 100, 100, 100, 108, 108, 108])])).toEqual([]);
    expect(findDrifts([figure([10, 10, 10, 10, 10, 10, 14, 14, 14])])).toEqual([]);
  });

  it('counts only getting worse', () => {
    const falling = [100, 100, 100, 100, 100, 100, 50, 50, 50];
    expect(findDrifts([figure(falling)])).toEqual([]);
    expect(findDrifts([figure(falling, { worse: 'lower' })])).toHaveLength(1);
  });

  it('judges the last minutes when they cannot be divided by three, and none when they are too few', () => {
    expect(findDrifts([figure([0, 0, 0, 100, 100, 200, 300])])).toEqual([
      { name: 'RSS MB', middle: 100, last: 200 },
    ]);
    expect(findDrifts([figure([1, 100])])).toEqual([]);
  });
});
