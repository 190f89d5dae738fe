import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localDateIn } from '#src/points/local-date.ts';
import {
  advanceStreak,
  dayOfAward,
  firstDayInRow,
  type Streak,
  streakOn,
} from '#src/points/streak.ts';

const NONE: Streak = { current: 0, longest: 0, lastDay: null, lastDayImpact: 0, daysInRow: 0 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The streak after awards on these days in order, each as `date impact`. */
const after = (...awards: string[]): Streak =>
  awards.reduce((streak, award) => {
    const [day = '', impact] = award.split(' ');
    return advanceStreak(streak, day, Number(impact));
  }, NONE);

describe('a streak', () => {
  it.each<[string, string[], Partial<Streak>]>([
    ['starts at the impact of the first award', ['2026-03-01 3'], { current: 3, daysInRow: 1 }],
    ['does not grow with more of the same', ['2026-03-01 1', '2026-03-01 1'], { current: 1 }],
    ['rises to the largest impact of the day', ['2026-03-01 1', '2026-03-01 5'], { current: 5 }],
    ['does not fall with a smaller one', ['2026-03-01 5', '2026-03-01 2'], { current: 5 }],
    ['continues the next day', ['2026-03-01 1', '2026-03-02 2'], { current: 3, daysInRow: 2 }],
    ['continues over a leap day', ['2024-02-28 1', '2024-02-29 1', '2024-03-01 1'], { current: 3 }],
    ['breaks when a leap day is missed', ['2024-02-28 1', '2024-03-01 1'], { current: 1 }],
    [
      'continues from February to March in other years',
      ['2025-02-28 1', '2025-03-01 1'],
      { current: 2 },
    ],
    ['continues over New Year', ['2025-12-31 2', '2026-01-01 1'], { current: 3 }],
    [
      'restarts after a missed day',
      ['2026-03-01 5', '2026-03-03 1'],
      { current: 1, daysInRow: 1, longest: 5 },
    ],
    ['restarts after a year', ['2025-03-01 5', '2026-03-01 2'], { current: 2, longest: 5 }],
  ])('%s', (_, awards, expected) => {
    expect(after(...awards)).toMatchObject(expected);
  });

  it('is shown until the end of the day after the last award, then as 0', () => {
    const streak = after('2026-03-01 2', '2026-03-02 1');
    expect(
      ['2026-03-02', '2026-03-03', '2026-03-04'].map((day) => streakOn(streak, day).current),
    ).toEqual([3, 3, 0]);
    expect(streakOn(streak, '2026-03-04')).toMatchObject({ longest: 3, daysInRow: 0 });
    expect(streakOn(NONE, '2026-03-04').current).toBe(0);
  });
});

describe('the day of an award', () => {
  const at = (moment: string) => new Date(moment);

  it.each([
    ['Pacific/Kiritimati', '2026-03-01T10:00:00Z', '2026-03-02'],
    ['Etc/GMT+12', '2026-03-01T11:59:59Z', '2026-02-28'],
    ['Asia/Kathmandu', '2026-03-01T18:14:59Z', '2026-03-01'],
    ['Asia/Kathmandu', '2026-03-01T18:15:00Z', '2026-03-02'],
    // Clocks jump from 23:59:59 to 01:00 there, so the day has no midnight.
    ['Africa/Cairo', '2025-04-24T21:59:59Z', '2025-04-24'],
    ['Africa/Cairo', '2025-04-24T22:00:00Z', '2025-04-25'],
    // Clocks fall back from 23:59:59 to 23:00, so the evening occurs twice but the day once.
    ['Africa/Cairo', '2025-10-30T20:59:59Z', '2025-10-30'],
    ['Africa/Cairo', '2025-10-30T21:59:59Z', '2025-10-30'],
    ['Africa/Cairo', '2025-10-30T22:00:00Z', '2025-10-31'],
    ['Mars/Olympus', '2026-03-01T23:59:59Z', '2026-03-01'],
  ])('in %s at %s is %s', (zone, moment, day) => {
    expect(dayOfAward(at(moment), zone, NONE, null)).toBe(day);
  });

  it('never precedes the previous one', () => {
    const streak = after('2026-03-02 1');
    expect(dayOfAward(at('2026-03-01T23:00:00Z'), 'Etc/GMT+12', streak, null)).toBe('2026-03-02');
  });

  it('is today again after a wrong clock recorded a day in the future', () => {
    const ahead = after('2027-01-01 3');
    const day = dayOfAward(at('2026-03-01T12:00:00Z'), 'UTC', ahead, null);
    expect(day).toBe('2026-03-01');
    expect(advanceStreak(ahead, day, 1)).toMatchObject({ current: 3, lastDay: '2026-03-01' });
  });
});

const ZONES = [
  'UTC',
  'Africa/Cairo',
  'America/Los_Angeles',
  'America/St_Johns',
  'Antarctica/Troll',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Etc/GMT+12',
  'Europe/Berlin',
  'Pacific/Apia',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
];
const IMPACTS = [1, 2, 3, 5];

interface Step {
  minutes: number;
  impact: number;
  /** The zone to which the user changes first. */
  zone: string | null;
}

/** About two years including a leap day; mostly less than two days between awards, so that streaks grow long. */
const twoYears = (zone: fc.Arbitrary<string | null>) =>
  fc.array(
    fc.record({
      minutes: fc.oneof(
        fc.integer({ min: 0, max: 36 * 60 }),
        fc.integer({ min: 23 * 60, max: 25 * 60 }),
        fc.integer({ min: 0, max: 60 * 60 }),
      ),
      impact: fc.constantFrom(...IMPACTS),
      zone,
    }),
    { minLength: 900, maxLength: 1_100, size: 'max' },
  );

interface Simulated {
  at: Date;
  zone: string;
  day: string;
  impact: number;
  streak: Streak;
  /** Start of the row of days that the award belongs to. */
  rowBeganAt: Date;
}

function simulate(
  firstZone: string,
  steps: readonly Step[],
  start: string = '2023-06-01T00:00:00Z',
): Simulated[] {
  let at = Date.parse(start);
  let zone = firstZone;
  let streak = NONE;
  const firstOf = new Map<string, Date>();
  return steps.map((step) => {
    at += step.minutes * 60_000;
    zone = step.zone ?? zone;
    const now = new Date(at);
    const began = firstOf.get(firstDayInRow(streak) ?? '') ?? null;
    const day = dayOfAward(now, zone, streak, began);
    if (!firstOf.has(day)) firstOf.set(day, now);
    streak = advanceStreak(streak, day, step.impact);
    const rowBeganAt = firstOf.get(firstDayInRow(streak) ?? '') ?? now;
    return { at: now, zone, day, impact: step.impact, streak, rowBeganAt };
  });
}

/** Computed from the whole history, day by day, without stored state. */
function slowStreak(history: readonly Simulated[]): { current: number; daysInRow: number } {
  const impactOf = new Map<string, number>();
  for (const { day, impact } of history) {
    impactOf.set(day, Math.max(impact, impactOf.get(day) ?? 0));
  }
  let [current, daysInRow] = [0, 0];
  for (let at = Date.parse(history.at(-1)?.day ?? ''); ; at -= DAY_MS) {
    const impact = impactOf.get(new Date(at).toISOString().slice(0, 10));
    if (impact === undefined) return { current, daysInRow };
    current += impact;
    daysInRow += 1;
  }
}

/** Uses the zone's offset from UTC instead of its calendar. */
function createSlowCalendar(timeZone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (at) => {
    const parts = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(at)) ?? [];
    const shift = (Number(parts[2] ?? 0) * 60 + Number(parts[3] ?? 0)) * 60_000;
    return new Date(at.getTime() + (parts[1] === '-' ? -shift : shift)).toISOString().slice(0, 10);
  };
}

/** The most days that a calendar in one place shows between two moments: a midnight at once, then one per day. */
function mostCalendarDays(from: Date, to: Date): number {
  let days = 1;
  for (let midnight = from.getTime(); midnight <= to.getTime(); midnight += DAY_MS) days += 1;
  return days;
}

describe('two years of awards', () => {
  it('give the streak computed from the whole history, over leap days and zone changes', () => {
    fc.assert(
      fc.property(twoYears(fc.constantFrom(null, null, null, null, null, ...ZONES)), (steps) => {
        const history = simulate('Europe/Berlin', steps);
        let longest = 0;
        history.forEach(({ streak, day }, index) => {
          const slow = slowStreak(history.slice(0, index + 1));
          longest = Math.max(longest, slow.current);
          expect(streak).toMatchObject({ ...slow, longest, lastDay: day });
          expect(day >= (history[index - 1]?.day ?? '')).toBe(true);
        });
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it('fall on the local dates of the user as long as the zone stays, whatever its clocks do', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), twoYears(fc.constant(null)), (zone, steps) => {
        const calendar = createSlowCalendar(zone);
        const history = simulate(zone, steps);
        expect(history.map(({ day }) => day)).toEqual(history.map(({ at }) => calendar(at)));
      }),
      { numRuns: 26, endOnFailure: true },
    );
  });

  it('gain at most one day in a row from any number of zone changes', () => {
    const step = fc.record({
      minutes: fc.integer({ min: 0, max: 90 }),
      impact: fc.constant(1),
      zone: fc.constantFrom(null, 'Etc/GMT+12', 'UTC', 'Pacific/Kiritimati', 'Pacific/Auckland'),
    });
    const days = fc.array(step, { minLength: 300, maxLength: 400, size: 'max' });
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 12 }), days, (hour, steps) => {
        const start = `2023-06-01T${String(hour).padStart(2, '0')}:00:00Z`;
        for (const { at, streak, rowBeganAt } of simulate('Etc/GMT+12', steps, start)) {
          if (streak.daysInRow > mostCalendarDays(rowBeganAt, at) + 1) {
            expect.fail(`${streak.daysInRow} days in a row by ${at.toISOString()}`);
          }
        }
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });

  it('gain exactly one day when a row starts in the last zone and continues in the first', () => {
    let at = Date.parse('2026-03-01T11:00:00Z');
    let streak = NONE;
    const began = new Date(at);
    const award = (zone: string) => {
      const day = dayOfAward(new Date(at), zone, streak, streak.lastDay === null ? null : began);
      streak = advanceStreak(streak, day, 1);
    };
    for (const zone of ['Etc/GMT+12', 'UTC', 'Pacific/Kiritimati', 'Etc/GMT+12', 'UTC'])
      award(zone);
    expect(streak).toMatchObject({ daysInRow: 3, current: 3 });
    for (let hour = 0; hour < 240; hour += 1) {
      at += HOUR_MS;
      for (const zone of ZONES) award(zone);
      expect(streak.daysInRow).toBe(Math.floor((hour + 1) / 24) + 3);
    }
    expect(streak.lastDay).toBe(localDateIn('Pacific/Kiritimati', new Date(at)));
  });
});
