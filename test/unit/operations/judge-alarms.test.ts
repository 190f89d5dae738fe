import { describe, expect, it } from 'vitest';
import { isOver, judgeQueues, type WatchedQueue } from '#src/operations/judge-alarms.ts';

const now = new Date('2026-11-23T12:00:00Z');
const before = (ms: number): Date => new Date(now.getTime() - ms);
const LONG_AGO = before(3_600_000);

function queue(rest: Partial<WatchedQueue> = {}): WatchedQueue {
  return {
    name: 'lead-scrape',
    isPaused: false,
    workers: 1,
    servedAt: now,
    oldestMs: null,
    oldestByMinute: [0, 0, 0, 0, 0, 0],
    finishedLately: 0,
    ...rest,
  };
}

const kinds = (rest: Partial<WatchedQueue>) =>
  judgeQueues([queue(rest)], now).map(({ kind }) => kind);

describe('no_worker', () => {
  it('is raised 30 s after it was last served, and says since when', () => {
    expect(kinds({ workers: 0, servedAt: before(29_000) })).toEqual([]);
    const [trouble] = judgeQueues([queue({ workers: 0, servedAt: before(31_000) })], now);
    expect(trouble).toMatchObject({ kind: 'no_worker', since: before(31_000) });
    expect(trouble?.message).toContain('npm run workers -- lead-scrape');
  });

  it('is raised for a paused queue, too: resuming would not help', () => {
    expect(kinds({ workers: 0, servedAt: LONG_AGO, isPaused: true })).toEqual(['no_worker']);
  });
});

describe('stuck', () => {
  const stuck = { oldestMs: 301_000 };
  it('is raised when nothing finished while something was due for five minutes', () => {
    expect(kinds(stuck)).toEqual(['stuck']);
    expect(kinds({ oldestMs: 299_000 })).toEqual([]);
  });
  it.each([
    ['something finished', { finishedLately: 1 }],
    ['it is paused', { isPaused: true }],
  ])('is not raised when %s', (_, rest) => {
    expect(kinds({ ...stuck, ...rest })).toEqual([]);
  });
  it('is not raised without workers: that is another alarm', () => {
    expect(kinds({ ...stuck, workers: 0, servedAt: LONG_AGO })).toEqual(['no_worker']);
  });
});

describe('falling_behind', () => {
  const growing = {
    finishedLately: 9,
    oldestMs: 40_000,
    oldestByMinute: [5_000, 6_000, 8_000, 9_000, 20_000, 40_000],
  };
  it('is raised when the oldest has grown for five minutes', () => {
    expect(kinds(growing)).toEqual(['falling_behind']);
  });
  it.each([
    ['it grew only for four', { oldestByMinute: [6_000, 6_000, 8_000, 9_000, 20_000, 40_000] }],
    ['less than five minutes are known', { oldestByMinute: [6_000, 8_000, 40_000] }],
    ['it is younger than 30 s', { oldestMs: 29_000 }],
    ['the queue is paused', { isPaused: true }],
    ['nothing is due any more', { oldestMs: null }],
  ])('is not raised when %s', (_, rest) => {
    expect(kinds({ ...growing, ...rest })).toEqual([]);
  });

  it.each([
    ['one minute was good', [9_000, 50_000, 40_000], false],
    ['two minutes were good', [50_000, 40_000, 40_000], true],
  ])('when %s, being over is judged by two minutes', (_, oldestByMinute, over) => {
    expect(isOver('falling_behind', queue({ oldestMs: 40_000, oldestByMinute }), [])).toBe(over);
  });
});

it('an alarm does not end while its cause persists', () => {
  const gone = queue({ workers: 0, servedAt: LONG_AGO });
  const troubles = judgeQueues([gone], now);
  expect(isOver('no_worker', gone, troubles)).toBe(false);
  expect(isOver('no_worker', queue(), [])).toBe(true);
});
