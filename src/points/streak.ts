import { addDays, type LocalDate, localDateIn, nextDay } from './local-date.ts';

const DAY_MS = 86_400_000;

export interface Streak {
  readonly current: number;
  /** The highest value that `current` ever had. */
  readonly longest: number;
  /** The last day with an award; null before the first. */
  readonly lastDay: LocalDate | null;
  /** The impact added on that day. */
  readonly lastDayImpact: number;
  /** Consecutive days with an award, up to `lastDay`. */
  readonly daysInRow: number;
}

/**
 * The streak after an award. A day adds the largest impact of its actions: the first action adds its own impact, a
 * later one only the excess. An award on the next day continues the streak; after a day without an award it restarts.
 */
export function advanceStreak(streak: Streak, day: LocalDate, impact: number): Streak {
  const { lastDay } = streak;
  if (lastDay !== null && day <= lastDay) {
    const lastDayImpact = Math.max(streak.lastDayImpact, impact);
    const current = streak.current + lastDayImpact - streak.lastDayImpact;
    return { ...streak, ...grown(streak, current), lastDay: day, lastDayImpact };
  }
  const continues = lastDay !== null && day === nextDay(lastDay);
  return {
    ...grown(streak, continues ? streak.current + impact : impact),
    lastDay: day,
    lastDayImpact: impact,
    daysInRow: continues ? streak.daysInRow + 1 : 1,
  };
}

/** The streak as of a day: zero if the day before had no award. */
export function streakOn(streak: Streak, today: LocalDate): Streak {
  const isAlive = streak.lastDay !== null && today <= nextDay(streak.lastDay);
  return isAlive ? streak : { ...streak, current: 0, daysInRow: 0 };
}

/** The first of the consecutive days. */
export function firstDayInRow({ lastDay, daysInRow }: Streak): LocalDate | null {
  return lastDay === null ? null : addDays(lastDay, 1 - daysInRow);
}

/**
 * The day that an award at this moment counts for: the user's local date, but never earlier than the last day. Whatever
 * time zone changes a user makes, consecutive days exceed what one calendar could have shown since they began by at
 * most one.
 * @param rowBeganAt time of the first award in the row; may be null while the row is shorter than three days
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

/** The most calendar days that a person in one time zone can see between two moments. */
function mostDays(from: Date, to: Date): number {
  return Math.floor((to.getTime() - from.getTime()) / DAY_MS) + 2;
}

/**
 * True if no time zone can have reached this day: a clock was wrong, and the user must not wait until that day comes.
 */
function isBeyondAllZones(day: LocalDate, at: Date): boolean {
  return day > nextDay(localDateIn('UTC', at));
}

function grown({ longest }: Streak, current: number): Pick<Streak, 'current' | 'longest'> {
  return { current, longest: Math.max(longest, current) };
}
