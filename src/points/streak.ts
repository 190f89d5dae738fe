import { addDays, type LocalDate, localDateIn, nextDay } from './local-date.ts';

const DAY_MS = 86_400_000;

export interface Streak {
  readonly current: number;
  /** The largest that `current` has ever been. */
  readonly longest: number;
  /** The last day with an award; null before the first. */
  readonly lastDay: LocalDate | null;
  /** What that day has added. */
  readonly lastDayImpact: number;
  /** Days with an award, one after the other, up to `lastDay`. */
  readonly daysInRow: number;
}

/**
 * The streak after an award. A day adds the largest impact of its actions: the first adds its own, a later one only
 * what it has more. The day after goes on from there; after a day without an award it starts anew.
 */
export function advanceStreak(streak: Streak, day: LocalDate, impact: number): Streak {
  const { lastDay } = streak;
  if (lastDay !== null && day <= lastDay) {
    const lastDayImpact = Math.max(streak.lastDayImpact, impact);
    const current = streak.current + lastDayImpact - streak.lastDayImpact;
    return { ...streak, ...grown(streak, current), lastDay: day, lastDayImpact };
  }
  const goesOn = lastDay !== null && day === nextDay(lastDay);
  return {
    ...grown(streak, goesOn ? streak.current + impact : impact),
    lastDay: day,
    lastDayImpact: impact,
    daysInRow: goesOn ? streak.daysInRow + 1 : 1,
  };
}

/** The streak as it stands on a day: nothing is left of it when the day before had no award. */
export function streakOn(streak: Streak, today: LocalDate): Streak {
  const isAlive = streak.lastDay !== null && today <= nextDay(streak.lastDay);
  return isAlive ? streak : { ...streak, current: 0, daysInRow: 0 };
}

/** The first of the days in a row. */
export function rowBegin({ lastDay, daysInRow }: Streak): LocalDate | null {
  return lastDay === null ? null : addDays(lastDay, 1 - daysInRow);
}

/**
 * The day that an award at this moment belongs to: the user's local date, but never one before the last. However a
 * user changes the time zone, a row has at most one day more than one calendar could have shown since it began.
 * @param rowBeganAt moment of the row's first award; may be null while the row is shorter than three days
 */
export function dayOfAward(
  at: Date,
  timeZone: string,
  { lastDay, daysInRow }: Pick<Streak, 'lastDay' | 'daysInRow'>,
  rowBeganAt: Date | null,
): LocalDate {
  const today = localDateIn(timeZone, at);
  if (lastDay === null || isBeyondAllZones(lastDay, at)) return today;
  if (today <= lastDay) return lastDay;
  if (today !== nextDay(lastDay) || rowBeganAt === null) return today;
  return daysInRow + 1 <= mostDays(rowBeganAt, at) + 1 ? today : lastDay;
}

/** Calendar days that somebody who stays in one place can see between two moments. */
function mostDays(from: Date, to: Date): number {
  return Math.floor((to.getTime() - from.getTime()) / DAY_MS) + 2;
}

/** No zone is a day ahead of UTC's date plus one: a clock was wrong, and waiting for that day to come helps nobody. */
function isBeyondAllZones(day: LocalDate, at: Date): boolean {
  return day > nextDay(localDateIn('UTC', at));
}

function grown({ longest }: Streak, current: number): Pick<Streak, 'current' | 'longest'> {
  return { current, longest: Math.max(longest, current) };
}
