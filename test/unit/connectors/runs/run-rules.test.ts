import { describe, expect, it } from 'vitest';
import { endStatus } from '#src/connectors/runs/finish-run.ts';
import { nextDue, pollStart } from '#src/connectors/runs/next-run.ts';
import { MAX_OUTAGES, outageDelayMs } from '#src/connectors/runs/outage-delay.ts';

const at = (time: string): Date => new Date(`2026-03-01T${time}Z`);

describe('when the next run is due', () => {
  it.each([
    ['on time', '10:00:00', 60, '10:00:00', '10:01:00'],
    ['a little late', '10:00:00', 60, '10:00:04', '10:01:00'],
    ['after a run of two and a half periods', '10:00:00', 60, '10:02:30', '10:03:00'],
    ['on a grid point exactly', '10:00:00', 60, '10:02:00', '10:03:00'],
    ['before it was due', '10:05:00', 60, '10:00:00', '10:05:00'],
  ])('is the next point of the grid %s', (_case, due, seconds, now, expected) => {
    expect(nextDue(at(due), seconds, at(now))).toEqual(at(expected));
  });

  it('is never, without a period', () => {
    expect(nextDue(at('10:00:00'), null, at('10:00:00'))).toBeNull();
  });

  it('is one period from now for a pair that had no schedule', () => {
    expect(nextDue(null, 3_600, at('10:00:00'))).toEqual(at('11:00:00'));
  });
});

describe('where a poll begins', () => {
  const pair = {
    fromBeginning: false,
    syncedUntil: at('12:00:00'),
    indexingStart: null,
    failedSince: undefined,
  };

  it.each([
    ['half an hour before the last one ended', {}, at('11:30:00')],
    ['at the very beginning for the first run', { syncedUntil: null }, null],
    ['at the very beginning when that is asked for', { fromBeginning: true }, null],
    ['no earlier than the connector wants', { indexingStart: at('11:45:00') }, at('11:45:00')],
    ['at the first failure that is to be mended', { failedSince: at('09:00:00') }, at('09:00:00')],
    ['not later because of a failure', { failedSince: at('11:59:00') }, at('11:30:00')],
    ['at the very beginning when a failure lies there', { failedSince: null }, null],
  ])('is %s', (_case, more, expected) => {
    expect(pollStart({ ...pair, ...more })).toEqual(expected);
  });
});

describe('how a run ends', () => {
  it.each([
    [0, 0, 'success'],
    [100, 0, 'success'],
    [1, 1, 'completed_with_errors'],
    [3, 3, 'completed_with_errors'],
    [4, 4, 'failed'],
    [40, 4, 'completed_with_errors'],
    [39, 4, 'failed'],
    [1_000, 100, 'completed_with_errors'],
    [1_000, 101, 'failed'],
  ])('of %i documents %i failed: %s', (fetched, failed, expected) => {
    expect(endStatus({ fetched, failed })).toBe(expected);
  });
});

describe('the wait after an outage', () => {
  it('doubles up to a quarter of an hour, with up to a fifth more', () => {
    expect([0, 1, 2, 10].map((n) => outageDelayMs(n, () => 0))).toEqual([
      15_000, 30_000, 60_000, 900_000,
    ]);
    expect(outageDelayMs(0, () => 1)).toBe(18_000);
  });

  it('adds up to about two hours before a run fails', () => {
    const total = Array.from({ length: MAX_OUTAGES }, (_, n) => outageDelayMs(n, () => 0.5));
    const hours = total.reduce((sum, ms) => sum + ms, 0) / 3_600_000;
    expect(hours).toBeGreaterThan(1.5);
    expect(hours).toBeLessThan(3);
  });
});
