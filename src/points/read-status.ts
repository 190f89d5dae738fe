import { Problem } from '#src/platform/errors.ts';
import { nextMilestone } from './achievements.ts';
import type { AwardServices } from './award-points.ts';
import { type AccountHolder, listUnlocked, readAccount } from './ledger.ts';
import { dayOfAward, streakOn } from './streak.ts';

export interface PointsStatus {
  readonly points: number;
  /** 0 when the user had no award yesterday or today. */
  readonly currentStreak: number;
  readonly longestStreak: number;
  /** Ids, in the order they were unlocked. */
  readonly unlocked: readonly string[];
  /** Id of the locked achievement nearest to completion, and its progress, below 1. */
  readonly nextMilestone: { readonly id: string; readonly progress: number };
}

/**
 * A user's current status.
 * @throws Problem UNAUTHENTICATED when the user no longer exists
 */
export async function readPointsStatus(
  { db, clock }: Pick<AwardServices, 'db' | 'clock'>,
  holder: AccountHolder,
): Promise<PointsStatus> {
  const account = await readAccount(db, holder);
  if (account === null) {
    throw new Problem('UNAUTHENTICATED', 'The user account of this key no longer exists.');
  }
  const unlocked = await listUnlocked(db, holder);
  const known = new Set(unlocked);
  const today = dayOfAward(clock(), account.timeZone, account.streak, null);
  const streak = streakOn(account.streak, today);
  return {
    points: account.points,
    currentStreak: streak.current,
    longestStreak: streak.longest,
    unlocked,
    nextMilestone: nextMilestone(
      {
        ...account.actionCounts,
        points: account.points,
        streak: streak.current,
        days_in_row: streak.daysInRow,
        lucky_finds: account.luckyFinds,
      },
      known,
    ),
  };
}
