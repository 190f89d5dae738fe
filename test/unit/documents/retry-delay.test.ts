import { expect, it } from 'vitest';
import { retryDelayMs } from '#src/documents/index-documents.ts';

it('doubles from a second, is jittered by half, and never passes ten minutes', () => {
  expect([1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, 1))).toEqual([1000, 2000, 4000, 8000]);
  expect(retryDelayMs(1, 0)).toBe(500);
  expect(retryDelayMs(50, 1)).toBe(600_000);
});
