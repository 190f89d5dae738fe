import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  afterSuccess,
  type EndpointHealth,
  shouldDisable,
  isOpen,
} from '#src/webhooks/endpoint-health.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = new Date('2026-03-01T00:00:00Z');
const UNTRIED: EndpointHealth = {
  failingSince: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  failures: 0,
  breakerTrips: 0,
  breakerUntil: null,
};

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

function later(ms: number, from: Date = START): Date {
  return new Date(from.getTime() + ms);
}

/** That many consecutive failures, all at the same time. */
function failed(times: number, from: EndpointHealth = UNTRIED, at: Date = START): EndpointHealth {
  let health = from;
  for (let made = 0; made < times; made += 1) health = afterFailure(health, at, 0);
  return health;
}

/** How long the breaker stays open after each failure, when every probe comes as early as possible and fails. */
function openings(times: number, jitter: number): number[] {
  let health = failed(9);
  let now = START;
  return Array.from({ length: times }, () => {
    health = afterFailure(health, now, jitter);
    const until = health.breakerUntil;
    if (until === null) throw new Error('The breaker is closed.');
    const openMs = until.getTime() - now.getTime();
    now = until;
    return openMs;
  });
}

describe('the circuit breaker', () => {
  it('stays closed for nine consecutive failures and opens at the tenth', () => {
    expect(failed(9)).toMatchObject({ failures: 9, breakerUntil: null, breakerTrips: 0 });
    const opened = failed(10);
    expect(opened).toMatchObject({ failures: 10, breakerTrips: 1 });
    expect(opened.breakerUntil).toEqual(later(5 * SECOND));
    expect(isOpen(opened, later(4_999))).toBe(true);
  });

  it('is half-open from the exact millisecond at which its open time ends', () => {
    const opened = failed(10);
    expect(isOpen(opened, later(5 * SECOND))).toBe(false);
    expect(opened.breakerUntil).not.toBeNull();
  });

  it('opens for 5 s, then twice as long after each failed probe, up to 5 minutes', () => {
    const seconds = openings(9, 0).map((ms) => ms / SECOND);
    expect(seconds).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('stays open up to a fifth longer due to jitter, and never shorter', () => {
    fc.assert(
      fc.property(random, (chance) => {
        const plain = openings(12, 0);
        for (const [index, openMs] of openings(12, chance).entries()) {
          expect(openMs).toBeGreaterThanOrEqual(Math.floor(plain[index] ?? Number.NaN));
          expect(openMs).toBeLessThanOrEqual(1.2 * (plain[index] ?? Number.NaN));
        }
      }),
    );
    expect(openings(1, 0.5)).toEqual([5_500]);
  });

  it('stays open at most 5 minutes plus a fifth, however often it has opened', () => {
    const worn = { ...failed(10), breakerTrips: 5_000, breakerUntil: START };
    const { breakerUntil } = afterFailure(worn, START, 0.999);
    expect(breakerUntil?.getTime()).toBeLessThanOrEqual(later(6 * MINUTE).getTime());
    expect(breakerUntil?.getTime()).toBeGreaterThanOrEqual(later(5 * MINUTE).getTime());
  });

  it('counts failures in flight when it opened, but neither reopens nor stays open longer', () => {
    const opened = failed(10);
    const late = failed(6, opened, later(SECOND));
    expect(late).toEqual({ ...opened, lastFailureAt: later(SECOND), failures: 16 });
  });

  it('closes after one success, and ten more failures open it for 5 s again', () => {
    const worn = { ...failed(10), breakerTrips: 6 };
    const closed = afterSuccess(worn, later(MINUTE));
    const { lastFailureAt } = worn;
    expect(closed).toEqual({ ...UNTRIED, lastFailureAt, lastSuccessAt: later(MINUTE) });
    const again = failed(10, closed ?? worn, later(2 * MINUTE));
    expect(again.breakerUntil).toEqual(later(2 * MINUTE + 5 * SECOND));
  });
});

describe('the start of a failure streak', () => {
  it('is the time of the first failure since the last success', () => {
    const first = afterFailure(UNTRIED, START, 0);
    const second = afterFailure(first, later(HOUR), 0);
    expect(second.failingSince).toEqual(START);
    const recovered = afterSuccess(second, later(2 * HOUR));
    const third = afterFailure(recovered ?? second, later(3 * HOUR), 0);
    expect(third).toMatchObject({ failingSince: later(3 * HOUR), failures: 1 });
  });
});

describe('an endpoint is hopeless', () => {
  const failing = (forMs: number, failures: number): boolean =>
    shouldDisable({ ...UNTRIED, failingSince: START, failures }, later(forMs));

  it('after five days and ten failures, and not earlier', () => {
    expect(failing(5 * DAY, 10)).toBe(true);
    expect(failing(5 * DAY - 1, 10)).toBe(false);
    expect(failing(5 * DAY, 9)).toBe(false);
    expect(failing(365 * DAY, 9)).toBe(false);
    expect(failing(0, 1_000_000)).toBe(false);
  });

  it('never while it is not failing', () => {
    expect(shouldDisable({ ...UNTRIED, failures: 50 }, later(9 * DAY))).toBe(false);
    const recovered = afterSuccess(failed(50), later(6 * DAY));
    expect(shouldDisable(recovered ?? failed(50), later(60 * DAY))).toBe(false);
  });

  it('five days after the first failure at the earliest, in any sequence', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 12 * HOUR }), { maxLength: 60 });
    fc.assert(
      fc.property(gaps, (gapsMs) => {
        let health = UNTRIED;
        let now = START;
        for (const gapMs of gapsMs) {
          now = later(gapMs, now);
          health = afterFailure(health, now, 0);
          const spanMs = now.getTime() - (health.failingSince ?? now).getTime();
          expect(shouldDisable(health, now)).toBe(spanMs >= 5 * DAY && health.failures >= 10);
        }
      }),
    );
  });
});

describe('a success', () => {
  it('of an endpoint that never had one is recorded', () => {
    expect(afterSuccess(UNTRIED, START)).toEqual({ ...UNTRIED, lastSuccessAt: START });
  });

  it('of a healthy endpoint is recorded once in five seconds', () => {
    const healthy = { ...UNTRIED, lastSuccessAt: START };
    expect(afterSuccess(healthy, later(5 * SECOND - 1))).toBeNull();
    expect(afterSuccess(healthy, later(5 * SECOND))).toEqual({
      ...UNTRIED,
      lastSuccessAt: later(5 * SECOND),
    });
  });

  it('after a failure, or of a probe, is recorded at once', () => {
    const healthy = { ...UNTRIED, lastSuccessAt: START };
    const now = later(SECOND);
    expect(afterSuccess(failed(1, healthy), now)).toEqual({
      ...UNTRIED,
      lastFailureAt: START,
      lastSuccessAt: now,
    });
    expect(afterSuccess({ ...healthy, breakerUntil: START }, now)).not.toBeNull();
  });
});
