import fc from 'fast-check';
import { expect, it } from 'vitest';

import { boostFactor, recencyFactor, resolveBias } from '#src/documents/search/score-factors.ts';

const NOW = new Date('2026-06-01T00:00:00Z');
const yearsAgo = (years: number) => new Date(NOW.getTime() - years * 365.25 * 86_400_000);

it('a newer document never gains less, and the default takes a tenth at most', () => {
  const age = fc.double({ min: 0, max: 60, noNaN: true });
  fc.assert(
    fc.property(age, age, (a, b) => {
      const [newer, older] = a < b ? [a, b] : [b, a];
      for (const bias of ['base_decay', 'favor_recent'] as const) {
        const first = recencyFactor(yearsAgo(newer), NOW, bias);
        expect(first).toBeGreaterThanOrEqual(recencyFactor(yearsAgo(older), NOW, bias));
      }
      expect(recencyFactor(yearsAgo(a), NOW, 'base_decay')).toBeGreaterThanOrEqual(0.9);
      expect(recencyFactor(yearsAgo(a), NOW, 'no_decay')).toBe(1);
    }),
  );
  expect(recencyFactor(yearsAgo(2), NOW, 'base_decay')).toBeCloseTo(0.95);
  expect(recencyFactor(yearsAgo(2), NOW, 'favor_recent')).toBeCloseTo(0.6);
});

it('a date that is missing or in the future costs nothing', () => {
  expect(recencyFactor(null, NOW, 'favor_recent')).toBe(1);
  expect(recencyFactor(yearsAgo(-3), NOW, 'favor_recent')).toBe(1);
});

it.each<[string, string]>([
  ['latest release notes', 'favor_recent'],
  ['What changed this week?', 'favor_recent'],
  ['neueste Preise', 'favor_recent'],
  ['latestness', 'base_decay'],
  ['release notes', 'base_decay'],
])('auto reads %s as %s', (query, bias) => {
  expect(resolveBias('auto', query)).toBe(bias);
});

it('a bias that is set is not decided by the query', () => {
  expect(resolveBias('no_decay', 'latest release')).toBe('no_decay');
});

it('a boost grows from a half to double, and 0 is neutral', () => {
  expect(boostFactor(0)).toBe(1);
  expect([boostFactor(-100), boostFactor(100)]).toEqual([0.5, 2].map((x) => expect.closeTo(x, 6)));
  fc.assert(
    fc.property(fc.integer({ min: -30, max: 30 }), (boost) => {
      expect(boostFactor(boost + 1)).toBeGreaterThan(boostFactor(boost));
    }),
  );
});
