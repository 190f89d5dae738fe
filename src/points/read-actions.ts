import { Problem } from '#src/platform/errors.ts';
import { ACTION_TYPES, ACTIONS, type ActionType } from './actions.ts';
import type { AwardServices } from './award-points.ts';
import { type AccountHolder, countsOfDay, readAccount } from './ledger.ts';
import { dayOfAward } from './streak.ts';

export interface ActionStanding {
  readonly action: ActionType;
  readonly points: number;
  readonly streakImpact: number;
  /** Maximum number of awards per user and local day. */
  readonly dailyCap: number;
  /** The user's awards today. */
  readonly today: number;
}

/**
 * The actions with their rules, and how much of today's caps the user has used.
 * @throws Problem UNAUTHENTICATED when the user no longer exists
 */
export async function readActions(
  { db, clock }: Pick<AwardServices, 'db' | 'clock'>,
  holder: AccountHolder,
): Promise<{ actions: ActionStanding[]; luckyFinds: number }> {
  const account = await readAccount(db, holder);
  if (account === null) {
    throw new Problem('UNAUTHENTICATED', 'The user account of this key no longer exists.');
  }
  const today = dayOfAward(clock(), account.timeZone, account.streak, null);
  const counts = await countsOfDay(db, holder, today);
  const actions = ACTION_TYPES.map((action) => ({
    action,
    ...ACTIONS[action],
    today: counts.get(action) ?? 0,
  }));
  return { actions, luckyFinds: account.luckyFinds };
}
