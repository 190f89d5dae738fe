import { z } from 'zod';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The times that can be chosen. */
export const RANGES = {
  hour: { ms: HOUR_MS, stepMs: MINUTE_MS },
  day: { ms: 24 * HOUR_MS, stepMs: 10 * MINUTE_MS },
  month: { ms: 30 * 24 * HOUR_MS, stepMs: HOUR_MS },
} as const;

export type Range = keyof typeof RANGES;

export const rangeSchema = z
  .enum(['hour', 'day', 'month'])
  .default('hour')
  .describe('The last hour, 24 hours or 30 days.');

/** When a range that ends now begins. */
export function beginOf(range: Range, now: Date): Date {
  return new Date(now.getTime() - RANGES[range].ms);
}

/** The steps of a range, oldest first: the last one is the last that is over. */
export function stepsOf(range: Range, now: Date): Date[] {
  const { ms, stepMs } = RANGES[range];
  const end = Math.floor(now.getTime() / stepMs) * stepMs;
  return Array.from({ length: ms / stepMs }, (_, index) => new Date(end - ms + index * stepMs));
}
