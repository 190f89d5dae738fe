import { describe, expect, it } from 'vitest';
import { nextDue, pollStart } from '#src/connectors/runs/next-run.ts';
import { outageDelayMs, requestedDelayMs } from '#src/connectors/runs/outage-delay.ts';

const MINUTE_MS = 60_000;
const at = (text: string): Date => new Date(`2026-03-01T${text}Z`);

describe('the next run of a connector', () => {
  it('stays on its grid and skips missed runs', () => {
    expect(nextDue(at('10:00:00'), 600, at('10:00:05'))).toEqual(at('10:10:00'));
    expect(nextDue(at('10:00:00'), 600, at('13:34:00'))).toEqual(at('13:40:00'));
    expect(nextDue(at('10:00:00'), 600, at('10:10:00'))).toEqual(at('10:20:00'));
  });

  it('is never without a period, and is counted from now when none was due', () => {
    expect(nextDue(at('10:00:00'), null, at('10:00:05'))).toBeNull();
    expect(nextDue(null, 60, at('10:00:05'))).toEqual(at('10:01:05'));
  });
});

describe('the start time of a poll', () => {
  const from = {
    fromBeginning: false,
    syncedUntil: at('10:00:00'),
    indexingStart: null,
    failedSince: undefined,
  };

  it('is half an hour before the end of the last run, for late arrivals', () => {
    expect(pollStart(from)).toEqual(at('09:30:00'));
  });

  it('is as early as the first failed document, but never before the start of indexing', () => {
    expect(pollStart({ ...from, failedSince: at('08:00:00') })).toEqual(at('08:00:00'));
    expect(pollStart({ ...from, indexingStart: at('09:45:00') })).toEqual(at('09:45:00'));
    expect(pollStart({ ...from, fromBeginning: true, indexingStart: at('01:00:00') })).toEqual(
      at('01:00:00'),
    );
  });
});

describe('an unavailable source', () => {
  it('is retried after a delay that doubles, up to a quarter of an hour', () => {
    const delays = [0, 1, 2, 30].map((outages) => outageDelayMs(outages, () => 0));
    expect(delays).toEqual([15_000, 30_000, MINUTE_MS, 15 * MINUTE_MS]);
    expect(outageDelayMs(0, () => 0.999)).toBeLessThanOrEqual(18_000);
  });

  it('determines the delay when it names one, between five seconds and a day', () => {
    expect(requestedDelayMs(null)).toBeNull();
    expect([0, 7 * MINUTE_MS, 10 ** 12].map(requestedDelayMs)).toEqual([
      5_000,
      7 * MINUTE_MS,
      24 * 60 * MINUTE_MS,
    ]);
  });
});
