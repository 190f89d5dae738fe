import { median } from './percentile.ts';

/** A figure by minute, and what counts as its getting worse. */
export interface Figure {
  name: string;
  values: readonly number[];
  worse: 'higher' | 'lower';
  /** Share of the middle third's median. */
  threshold: number;
  /** A smaller change does not count, whatever its share. */
  floor: number;
}

export interface Drift {
  name: string;
  /** Medians of the thirds. */
  middle: number;
  last: number;
}

/**
 * Figures whose last third is worse than their middle third; the first third warms up. The medians must differ by the
 * threshold and by the floor, and the last one must lie outside what the middle third had anyway: in a figure that
 * grows it does, in one that only varies it seldom does.
 */
export function findDrifts(figures: readonly Figure[]): Drift[] {
  return figures.flatMap((figure) => {
    const { name, values, worse, threshold, floor } = figure;
    const third = Math.floor(values.length / 3);
    if (third === 0) return [];
    const sign = worse === 'higher' ? 1 : -1;
    const before = values.slice(-2 * third, -third);
    const middle = median(before);
    const last = median(values.slice(-third));
    const change = sign * (last - middle);
    const isOutside = before.every((value) => sign * (last - value) > 0);
    const isLarge = change > floor && change > threshold * Math.abs(middle);
    return isOutside && isLarge ? [{ name, middle, last }] : [];
  });
}
