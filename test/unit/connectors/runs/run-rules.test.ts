import { describe, expect, it } from 'vitest';
import { endStatus } from '#src/connectors/runs/finish-run.ts';
import { nextDue, pollStart } from '#src/connectors/runs/next-run.ts';
import { MAX_OUTAGES, outageDelayMs } from '#src/connectors/runs/outage-delay.ts';

const at = (time: string): Date => new Date(`2026-03-01T${time}Z`);

describe('the next run', () => {
  it.each([
    ['on time', '10:00:00', 60, '10:00:00', '10:01:00'],
    ['a little late', '10:00:00', 60, '10:00:04', '10:01:00'],
    ['after a run of two and a half periods', '10:00:00', 60, '10:02:30', '10:03:00'],
    ['exactly on a grid point', '10:00:00', 60, '10:02:00', '10:03:00'],
    ['before it was due', '10:05:00', 60, '10:00:00', '10:05:00'],
  ])('is due at the next grid point %s', (_case, due, seconds, now, expected) => {
    expect(nextDue(at(due), seconds, at(now))).toEqual(at(expected));
  });

  it('is never due without a period', () => {
    expect(nextDue(at('10:00:00'), null, at('10:00:00'))).toBeNull();
  });

  it('is due one period from now for a pair without a schedule', () => {
    expect(nextDue(null, 3_600, at('10:00:00'))).toEqual(at('11:00:00'));
  });
});

describe('the start of a poll', () => {
  const pair = {
    fromBeginning: false,
    syncedUntil: at('12:00:00'),
    indexingStart: null,
    failedSince: undefined,
  };

  it.each([
    ['half an hour before the last one ended', {}, at('11:30:00')],
    ['at the very beginning for the first run', { syncedUntil: null }, null],
    ['at the very beginning on request', { fromBeginning: true }, null],
    ['no earlier than the connector wants', { indexingStart: at('11:45:00') }, at('11:45:00')],
    ['at the first failure to be retried', { failedSince: at('09:00:00') }, at('09:00:00')],
    ['not later because of a failure', { failedSince: at('11:59:00') }, at('11:30:00')],
    ['at the very beginning when the failure is there', { failedSince: null }, null],
  ])('is %s', (_case, more, expected) => {
    expect(pollStart({ ...pair, ...more })).toEqual(expected);
  });
});

describe('the end of a run', () => {
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
  ])('with %i documents and %i failures is %s', (fetched, failed, expected) => {
    expect(endStatus({ fetched, failed })).toBe(expected);
  });
});

describe('the wait after an outage', () => {
  it('doubles up to a quarter of an hour, plus up to a fifth', () => {
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
