import { describe, expect, test } from 'vitest';
import { LIMIT_PERIODS } from '#src/email/limit-period.ts';
import type { ProviderLimit } from '#src/email/provider-limits.ts';
import {
  dayRoomOf,
  decideTurn,
  gapOf,
  LONGEST_WAIT_MS,
  type Pace,
  pauseMs,
} from '#src/email/send-pace.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const limitOf = (figures: Partial<ProviderLimit>): ProviderLimit => ({
  provider: 'Acme',
  perMinute: null,
  perHour: null,
  perDay: null,
  source: 'https://acme.example',
  ...figures,
});
const THIRTY = limitOf({ perMinute: 30 });

const IDLE: Pace = {
  nextSendMs: -HOUR,
  lineEndMs: -HOUR,
  strikes: 0,
  sentInDay: 0,
  dayFreesMs: null,
};

interface Waiting {
  atMs: number;
  hasTurn: boolean;
}

/** Runs the messages as workers would, each `lateMs` after its time. Returns when they are sent. */
function run(limit: ProviderLimit | null, messages: readonly Waiting[], lateMs = 0): number[] {
  const sentAt: number[] = [];
  let nextSendAt = -DAY;
  let lineEndAt = -DAY;
  let waiting = [...messages];
  for (let step = 0; waiting.length > 0; step += 1) {
    if (step > 100_000) throw new Error('The messages are never sent.');
    waiting = waiting.toSorted((a, b) => a.atMs - b.atMs);
    const [first, ...rest] = waiting;
    if (!first) break;
    const nowMs = first.atMs + (step < messages.length ? 0 : lateMs);
    const turn = decideTurn(
      { ...IDLE, nextSendMs: nextSendAt - nowMs, lineEndMs: lineEndAt - nowMs },
      limit,
      first.hasTurn,
    );
    if (turn.kind === 'now') {
      sentAt.push(nowMs + turn.waitMs);
      nextSendAt = nowMs + turn.nextSendMs;
      waiting = rest;
    } else {
      if (turn.lineEndMs !== null) lineEndAt = nowMs + turn.lineEndMs;
      waiting = [...rest, { atMs: nowMs + turn.delayMs, hasTurn: turn.lineEndMs !== null }];
    }
  }
  return sentAt;
}

const atOnce = (count: number): Waiting[] =>
  Array.from({ length: count }, () => ({ atMs: 0, hasTurn: false }));

function mostWithin(times: readonly number[], windowMs: number): number {
  return Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length),
  );
}

describe('messages of one SMTP user', () => {
  test('never exceed the limit per minute, and leave a tenth of it', () => {
    const sentAt = run(THIRTY, atOnce(500));
    expect(sentAt).toHaveLength(500);
    expect(mostWithin(sentAt, MINUTE)).toBeLessThanOrEqual(28);
    // Nor are they needlessly slow.
    expect(Math.max(...sentAt)).toBeLessThan((500 / 26) * MINUTE);
  });

  test.each([1, 7, 45])('that run %i s late stay within the limit, and all are sent', (late) => {
    const sentAt = run(THIRTY, atOnce(300), late * SECOND);
    expect(sentAt).toHaveLength(300);
    expect(mostWithin(sentAt, MINUTE)).toBeLessThanOrEqual(28);
  });

  test('that waited an hour without a worker are not sent all at once', () => {
    const held = Array.from({ length: 200 }, () => ({ atMs: 0, hasTurn: true }));
    const sentAt = run(THIRTY, held);
    expect(mostWithin(sentAt, MINUTE)).toBeLessThanOrEqual(28);
  });

  test('stay within an hourly limit', () => {
    const sentAt = run(limitOf({ perHour: 50 }), atOnce(120));
    expect(mostWithin(sentAt, HOUR)).toBeLessThanOrEqual(46);
  });

  test('are sent in order of arrival, and none overtakes', () => {
    const first = decideTurn({ ...IDLE, nextSendMs: 10 * SECOND }, THIRTY, false);
    expect(first).toMatchObject({ kind: 'later', delayMs: 10 * SECOND });
    const lineEndMs = first.kind === 'later' ? (first.lineEndMs ?? 0) : 0;
    const second = decideTurn({ ...IDLE, nextSendMs: 10 * SECOND, lineEndMs }, THIRTY, false);
    expect(second).toMatchObject({ kind: 'later', delayMs: lineEndMs });
    // The gate is open, but the turn belongs to the first message.
    const pace = { ...IDLE, nextSendMs: 0, lineEndMs: lineEndMs - 2 * SECOND };
    expect(decideTurn(pace, THIRTY, true)).toMatchObject({ kind: 'now', waitMs: 0 });
    expect(decideTurn(pace, THIRTY, false)).toMatchObject({ kind: 'later' });
  });

  test('wait in the worker only for a few seconds', () => {
    const near = decideTurn({ ...IDLE, nextSendMs: LONGEST_WAIT_MS }, THIRTY, false);
    expect(near).toMatchObject({ kind: 'now', waitMs: LONGEST_WAIT_MS });
    const far = decideTurn({ ...IDLE, nextSendMs: LONGEST_WAIT_MS + 1 }, THIRTY, false);
    expect(far).toMatchObject({ kind: 'later', because: 'rate' });
  });

  test('get turns up to an hour ahead, and later ones ask again', () => {
    const pace = { ...IDLE, nextSendMs: SECOND, lineEndMs: 2 * HOUR };
    const turn = decideTurn(pace, THIRTY, false);
    expect(turn).toMatchObject({ kind: 'later', lineEndMs: null });
    expect(turn.kind === 'later' && turn.delayMs).toBeLessThanOrEqual(HOUR + MINUTE);
  });

  test('are sent at once where no limit is known', () => {
    expect(decideTurn(IDLE, null, false)).toEqual({ kind: 'now', waitMs: 0, nextSendMs: 0 });
    expect(new Set(run(null, atOnce(50)))).toEqual(new Set([0]));
  });
});

describe('a day that is full', () => {
  const limit = limitOf({ perDay: 500 });
  test('lets nothing through until its oldest hour is 24 hours old', () => {
    const pace = { ...IDLE, sentInDay: 449, dayFreesMs: 5 * HOUR };
    expect(decideTurn(pace, limit, false).kind).toBe('now');
    expect(decideTurn({ ...pace, sentInDay: 450 }, limit, true)).toEqual({
      kind: 'later',
      delayMs: 5 * HOUR,
      lineEndMs: null,
      because: 'day',
    });
  });

  test('is checked again after at least a minute', () => {
    for (const dayFreesMs of [null, -HOUR, 0]) {
      const turn = decideTurn({ ...IDLE, sentInDay: 500, dayFreesMs }, limit, false);
      expect(turn).toMatchObject({ kind: 'later', delayMs: MINUTE });
    }
  });
});

describe('after a refusal for a limit', () => {
  test('all wait for the end of the pause, then go one by one until one is accepted', () => {
    const paused = { ...IDLE, nextSendMs: 5 * MINUTE, strikes: 1 };
    expect(decideTurn(paused, null, false)).toEqual({
      kind: 'later',
      delayMs: 5 * MINUTE,
      lineEndMs: 5 * MINUTE + 10 * SECOND,
      because: 'refused',
    });
    expect(gapOf(null, 1)).toBe(10 * SECOND);
    expect(gapOf(null, 0)).toBe(0);
  });

  test('a turn granted before the pause is void', () => {
    const paused = { ...IDLE, nextSendMs: 20 * MINUTE, lineEndMs: 30 * MINUTE, strikes: 1 };
    expect(decideTurn(paused, THIRTY, true)).toMatchObject({
      kind: 'later',
      delayMs: 30 * MINUTE,
    });
  });

  test('the pause doubles up to an hour; for a daily limit it is a day', () => {
    expect([0, 1, 2, 3].map((strikes) => pauseMs('minute', strikes))).toEqual([
      MINUTE,
      2 * MINUTE,
      4 * MINUTE,
      8 * MINUTE,
    ]);
    for (const period of LIMIT_PERIODS) {
      const longest = period === 'day' ? DAY : HOUR;
      expect(pauseMs(period, 1_000)).toBe(longest);
    }
    expect(pauseMs('hour', 0)).toBe(20 * MINUTE);
    expect(pauseMs('day', 0)).toBe(DAY);
  });
});

describe('unusual values', () => {
  test('a clock that was a year ahead delays messages by at most a day', () => {
    const year = 365 * DAY;
    const turn = decideTurn({ ...IDLE, nextSendMs: year, lineEndMs: year }, THIRTY, false);
    expect(turn.kind === 'later' && turn.delayMs).toBeLessThanOrEqual(DAY + 2 * HOUR);
  });

  test('a limit of 0 is ignored', () => {
    const none = limitOf({ perMinute: 0, perHour: 0, perDay: 0 });
    expect([gapOf(none, 0), dayRoomOf(none)]).toEqual([0, null]);
    expect(decideTurn(IDLE, none, false)).toEqual({ kind: 'now', waitMs: 0, nextSendMs: 0 });
    expect(dayRoomOf(limitOf({ perDay: 1 }))).toBe(1);
  });
});
