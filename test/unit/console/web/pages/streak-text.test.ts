import { expect, it } from 'vitest';
import { streakText } from '#src/console/web/pages/streak-text.ts';
import { bytesText } from '#src/console/web/parts/number.ts';

it.each([
  [0, 0, 'You have no streak yet: the first thing you do begins one'],
  [0, 12, 'The longest was 12. What you do next begins a new one.'],
  [4, 12, 'Your streak is 4. The longest was 12. It grows by what you do each day'],
  [12, 12, 'Your streak is 12. It has never been longer.'],
  [1, 1, 'Your streak is 1. It grows by what you do each day'],
])('tells a streak of %i, of %i at most, in words', (current_streak, longest_streak, words) => {
  expect(streakText({ current_streak, longest_streak })).toContain(words);
});

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1 KB'],
  [1_449_000, '1.4 MB'],
  [250_000_000_000, '250 GB'],
])('tells %i bytes in units', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
