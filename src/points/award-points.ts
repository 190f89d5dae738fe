import { randomBytes } from 'node:crypto';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';
import { newlyUnlocked } from './achievements.ts';
import { ACTIONS, type ActionType } from './actions.ts';
import {
  type AccountHolder,
  type AwardSource,
  claimAward,
  countOnDay,
  findAward,
  firstAwardOf,
  insertAward,
  listUnlocked,
  lockAccount,
  type PointsAccount,
  type RecordedAward,
} from './ledger.ts';
import type { LocalDate } from './local-date.ts';
import { advanceStreak, dayOfAward, firstDayInRow, streakOn } from './streak.ts';

/** An action of a user that earns points. */
export interface Award extends AccountHolder {
  readonly action: ActionType;
  readonly source: AwardSource;
  /** Id of the action in the service, or the client's `Idempotency-Key`: one award per id. Null: no deduplication. */
  readonly sourceId: string | null;
  /** The service awards this action at most once per local day; `sourceId` is then ignored. */
  readonly oncePerDay?: boolean;
  /** For awards by the service: when the action was done. A client report since then is the same action. */
  readonly doneAt?: Date;
  readonly context?: Readonly<Record<string, unknown>> | null;
}

/** The result of an award. The totals are those right after it. */
export interface AwardOutcome {
  /** False when the daily cap of the action was reached; nothing was awarded then. */
  readonly isRecorded: boolean;
  readonly pointsAwarded: number;
  readonly pointsTotal: number;
  readonly streakCount: number;
  readonly isLuckyFind: boolean;
  readonly achievement: string | null;
}

export type AwardServices = Pick<PlatformServices, 'db' | 'clock' | 'config'>;

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type RandomSource = () => number;

/**
 * Awards points for an action: ledger row, totals, streak and achievements in one transaction, with the user's totals
 * locked. A repeated source gets the first outcome again and earns nothing. The same holds for a client report of an
 * action that the service awarded within the last ten minutes, and for the service when the client has reported the
 * action since it was done.
 * @throws Problem CONFLICT when the source belongs to another action, UNAUTHENTICATED when the user no longer exists
 */
export async function awardPoints(
  { db, clock, config }: AwardServices,
  award: Award,
  random: RandomSource = secureRandom,
): Promise<AwardOutcome> {
  return db.transaction().execute(async (trx) => {
    const account = await lockAccount(trx, award);
    if (account === null) {
      throw new Problem('UNAUTHENTICATED', 'The user account of this key no longer exists.');
    }
    const at = clock();
    const day = await findDay(trx, award, account, at);
    const sourceId = sourceIdOf(award, day);
    const earlier =
      sourceId === null ? null : await findAward(trx, award, { source: award.source, sourceId });
    if (earlier !== null) return repeat(earlier, award);

    const claimed = await claim(trx, award, { account, day, at, sourceId });
    if (claimed !== null) return toOutcome(claimed);

    const done = await countOnDay(trx, award, { day, action: award.action });
    if (done >= ACTIONS[award.action].dailyCap) return refusal(account, day);
    const isLuckyFind = random() < config.LUCKY_FIND_PROBABILITY;
    return record(trx, award, { account, day, at, sourceId, isLuckyFind });
  });
}

/** An action that the client and the service both report within this time counts once. */
export const CLAIM_WINDOW_MS = 600_000;

/** The award for the same action if the other side (client or service) has already reported it. */
async function claim(
  trx: DatabaseTransaction,
  award: Award,
  { account, day, at, sourceId }: Omit<ToRecord, 'isLuckyFind'>,
): Promise<RecordedAward | null> {
  const { source, action, doneAt = at } = award;
  const since = source === 'client' ? new Date(at.getTime() - CLAIM_WINDOW_MS) : doneAt;
  const pointsTotal = account.points;
  const streakCount = streakOn(account.streak, day).current;
  return claimAward(trx, award, { source, sourceId, action, since, at, pointsTotal, streakCount });
}

async function findDay(
  trx: DatabaseTransaction,
  holder: AccountHolder,
  { timeZone, streak }: PointsAccount,
  at: Date,
): Promise<LocalDate> {
  const begin = streak.daysInRow < 3 ? null : firstDayInRow(streak);
  const day = dayOfAward(at, timeZone, streak, null);
  if (begin === null || day === streak.lastDay) return day;
  // Once a day in a longer row of days: check whether time zone changes alone caused the new day.
  return dayOfAward(at, timeZone, streak, await firstAwardOf(trx, holder, begin));
}

/** Request ids are unique per kind of action only, so the action is part of the source id. */
function sourceIdOf(award: Award, day: LocalDate): string | null {
  if (award.oncePerDay) return `${award.action} ${day}`;
  if (award.source === 'client' || award.sourceId === null) return award.sourceId;
  return `${award.action} ${award.sourceId}`;
}

function repeat(earlier: RecordedAward, award: Award): AwardOutcome {
  if (earlier.action === award.action) return toOutcome(earlier);
  throw new Problem(
    'CONFLICT',
    `This Idempotency-Key was used for an earlier ${earlier.action}. Send a new key with each new action.`,
  );
}

function refusal({ points, streak }: PointsAccount, day: LocalDate): AwardOutcome {
  return {
    isRecorded: false,
    pointsAwarded: 0,
    pointsTotal: points,
    streakCount: streakOn(streak, day).current,
    isLuckyFind: false,
    achievement: null,
  };
}

interface ToRecord {
  account: PointsAccount;
  day: LocalDate;
  at: Date;
  sourceId: string | null;
  isLuckyFind: boolean;
}

async function record(
  trx: DatabaseTransaction,
  award: Award,
  { account, day, at, sourceId, isLuckyFind }: ToRecord,
): Promise<AwardOutcome> {
  const { action, source, context = null } = award;
  const { points, streakImpact } = ACTIONS[action];
  const streak = advanceStreak(account.streak, day, streakImpact);
  const pointsTotal = account.points + points;
  const luckyFinds = account.luckyFinds + (isLuckyFind ? 1 : 0);
  const known = new Set(await listUnlocked(trx, award));
  const count = (account.actionCounts[action] ?? 0) + 1;
  const unlocked = newlyUnlocked(
    {
      points: pointsTotal,
      streak: streak.current,
      days_in_row: streak.daysInRow,
      lucky_finds: luckyFinds,
      [action]: count,
    },
    known,
  );
  const recorded: RecordedAward = {
    action,
    points,
    pointsTotal,
    streakCount: streak.current,
    isLuckyFind,
    achievement: unlocked.at(-1) ?? null,
  };
  const entry = { ...recorded, day, streakImpact, source, sourceId, context, unlocked, at };
  const actionCounts = { ...account.actionCounts, [action]: count };
  await insertAward(trx, award, entry, { actionCounts, luckyFinds, streak });
  return toOutcome(recorded);
}

function toOutcome({ action: _, points, ...told }: RecordedAward): AwardOutcome {
  return { isRecorded: true, pointsAwarded: points, ...told };
}

/** 48 random bits from the operating system, so clients can neither predict nor influence a lucky find. */
function secureRandom(): number {
  return randomBytes(6).readUIntBE(0, 6) / 2 ** 48;
}
