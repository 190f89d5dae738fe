import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_ATTEMPTS, nextDelayMs } from '#src/webhooks/retry-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** After the first attempt, the second, … the ninth. */
const DELAYS_MS = [
  5_000,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const UNJITTERED = { retryAfterMs: null, random: 0.5 };

const attempt = fc.integer({ min: 1, max: DELAYS_MS.length });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const baseOf = (attempts: number): number => DELAYS_MS[attempts - 1] ?? Number.NaN;

test('no delay follows the tenth attempt', () => {
  expect(MAX_ATTEMPTS).toBe(10);
  expect(nextDelayMs(10, UNJITTERED)).toBeNull();
  expect(nextDelayMs(11, UNJITTERED)).toBeNull();
  expect(nextDelayMs(10, { retryAfterMs: 1_000, random: 0 })).toBeNull();
});

test('delays without jitter are the documented ones, 75 h 35 min 5 s in total', () => {
  const delays = DELAYS_MS.map((_, index) => nextDelayMs(index + 1, UNJITTERED));
  expect(delays).toEqual(DELAYS_MS);
  const total = delays.reduce<number>((sum, delay) => sum + (delay ?? Number.NaN), 0);
  expect(total).toBe(75 * HOUR + 35 * MINUTE + 5_000);
});

test('jitter changes a delay by at most a fifth, either way', () => {
  fc.assert(
    fc.property(attempt, random, (attempts, chance) => {
      const delay = nextDelayMs(attempts, { retryAfterMs: null, random: chance });
      expect(delay).toBeGreaterThanOrEqual(0.8 * baseOf(attempts));
      expect(delay).toBeLessThanOrEqual(1.2 * baseOf(attempts));
    }),
  );
  expect(nextDelayMs(1, { retryAfterMs: null, random: 0 })).toBe(4_000);
  expect(nextDelayMs(1, { retryAfterMs: null, random: 0.999_999 })).toBe(6_000);
});

test('Retry-After applies between the delay and twice the delay, without jitter', () => {
  fc.assert(
    fc.property(
      attempt,
      random,
      fc.integer({ min: 0, max: 1_000 * HOUR }),
      (attempts, chance, asked) => {
        const base = baseOf(attempts);
        const delay = nextDelayMs(attempts, { retryAfterMs: asked, random: chance });
        const expected = asked < base ? base : asked > 2 * base ? 2 * base : asked;
        expect(delay).toBe(expected);
      },
    ),
  );
});

test.each([
  [0, 5_000],
  [7_500, 7_500],
  [3_600_000, 10_000],
  [-1, 5_000],
])('a Retry-After of %i ms after the first attempt waits %i ms', (asked, waited) => {
  expect(nextDelayMs(1, { retryAfterMs: asked, random: 0 })).toBe(waited);
});
