import { expect, test } from 'vitest';

import { retryAfterMs } from '#src/platform/retry-after.ts';

const NOW_MS = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['1.5', 1_500],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
  ['soon', null],
  ['-5', null],
  ['', null],
  [null, null],
])('Retry-After %j means %j ms', (header, expected) => {
  expect(retryAfterMs(header, NOW_MS)).toBe(expected);
});
