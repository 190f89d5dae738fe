import { expect, it } from 'vitest';
import { retryDelayMs } from '#src/documents/index-documents.ts';

it('the retry delay doubles from one second, with jitter of one half, up to ten minutes', () => {
  expect([1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, 1))).toEqual([1000, 2000, 4000, 8000]);
  expect(retryDelayMs(1, 0)).toBe(500);
  expect(retryDelayMs(50, 1)).toBe(600_000);
});
