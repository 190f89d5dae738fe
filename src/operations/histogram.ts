/**
 * Durations as counts in classes that grow by √2 from 1 ms to 2.3 hours; the last class has no upper end. Stored
 * without the zeros at the end.
 */
export type Histogram = number[];

const CLASSES = 48;
const GROWTH = Math.SQRT2;

/** The class of a duration: class 0 ends at 1 ms, class n at √2ⁿ ms. */
export function classOf(ms: number): number {
  if (!(ms > 1)) return 0;
  return Math.min(CLASSES - 1, Math.ceil(Math.log2(ms) * 2 - 1e-9));
}

/** Adds one duration, in place. */
export function observe(histogram: Histogram, ms: number): void {
  const index = classOf(ms);
  while (histogram.length <= index) histogram.push(0);
  histogram[index] = (histogram[index] ?? 0) + 1;
}

/**
 * The duration that the given share stays below, to within a fifth: the geometric middle of its class. Null for an
 * empty histogram.
 */
export function quantileMs(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.max(1, Math.ceil(total * share));
  const index = histogram.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return GROWTH ** (index - 0.5);
}

/** Null when nothing was observed. In milliseconds, to two significant digits: more would be invented. */
export function quantilesOf(histogram: readonly number[]): { p50: number; p95: number } | null {
  const p50 = quantileMs(histogram, 0.5);
  const p95 = quantileMs(histogram, 0.95);
  return p50 === null || p95 === null ? null : { p50: rounded(p50), p95: rounded(p95) };
}

function rounded(ms: number): number {
  return Number(ms.toPrecision(2));
}
