import { sql } from 'kysely';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { ActionType } from './actions.ts';
import type { LocalDate } from './local-date.ts';
import type { Streak } from './streak.ts';

/** Who reports an action: the user's client, or the service that performed it. */
export type AwardSource = 'client' | 'service';

export interface AccountHolder {
  readonly workspaceId: WorkspaceId;
  readonly userId: UserId;
}

/** Totals of a user; always the sum of the ledger. */
export interface PointsAccount {
  readonly timeZone: string;
  readonly points: number;
  readonly luckyFinds: number;
  /** Lifetime number of awards per action. */
  readonly actionCounts: Readonly<Partial<Record<ActionType, number>>>;
  readonly streak: Streak;
}

/** The part of a ledger row that is returned to the user. */
export interface RecordedAward {
  readonly action: string;
  readonly points: number;
  readonly pointsTotal: number;
  readonly streakCount: number;
  readonly isLuckyFind: boolean;
  readonly achievement: string | null;
}

interface AccountRow extends Streak {
  timeZone: string;
  points: number;
  luckyFinds: number;
  actionCounts: PointsAccount['actionCounts'];
}

const ACCOUNT_COLUMNS = sql.raw(`u.time_zone as "timeZone", coalesce(a.points, 0) as points,
  coalesce(a.lucky_finds, 0) as "luckyFinds", coalesce(a.action_counts, '{}') as "actionCounts",
  coalesce(a.current_streak, 0) as current,
  coalesce(a.longest_streak, 0) as longest, to_char(a.last_day, 'YYYY-MM-DD') as "lastDay",
  coalesce(a.last_day_impact, 0) as "lastDayImpact", coalesce(a.days_in_row, 0) as "daysInRow"`);

/** The current totals, zeros before the first award; null when there is no such user. */
export async function readAccount(
  db: Database,
  { workspaceId, userId }: AccountHolder,
): Promise<PointsAccount | null> {
  const { rows } = await sql<AccountRow>`
    select ${ACCOUNT_COLUMNS} from user_account u
    left join points_account a on a.user_id = u.id
    where u.id = ${userId} and u.workspace_id = ${workspaceId}`.execute(db);
  return rows[0] ? toAccount(rows[0]) : null;
}

/** The totals, locked until the end of the transaction, which serializes a user's awards. */
export async function lockAccount(
  trx: DatabaseTransaction,
  holder: AccountHolder,
): Promise<PointsAccount | null> {
  const locked = await lockRow(trx, holder);
  if (locked !== null) return locked;
  await sql`
    insert into points_account (user_id, workspace_id)
    select id, workspace_id from user_account
    where id = ${holder.userId} and workspace_id = ${holder.workspaceId}
    on conflict do nothing`.execute(trx);
  return lockRow(trx, holder);
}

async function lockRow(
  trx: DatabaseTransaction,
  { workspaceId, userId }: AccountHolder,
): Promise<PointsAccount | null> {
  const { rows } = await sql<AccountRow>`
    select ${ACCOUNT_COLUMNS} from points_account a join user_account u on u.id = a.user_id
    where a.user_id = ${userId} and a.workspace_id = ${workspaceId} for update of a`.execute(trx);
  return rows[0] ? toAccount(rows[0]) : null;
}

/** Time of the first award on a day. */
export async function firstAwardOf(
  trx: DatabaseTransaction,
  { userId }: AccountHolder,
  day: LocalDate,
): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(created_at) as at from points_award
    where user_id = ${userId} and day = ${day}::date`.execute(trx);
  return rows[0]?.at ?? null;
}

/** Number of awards per action on a day. */
export async function countsOfDay(
  db: Database,
  { userId }: AccountHolder,
  day: LocalDate,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ action: string; count: number }>`
    select action_type as action, count(*)::int as count from points_award
    where user_id = ${userId} and day = ${day}::date group by action_type`.execute(db);
  return new Map(rows.map(({ action, count }) => [action, count]));
}

/** Number of awards of one action on a day. */
export async function countOnDay(
  trx: DatabaseTransaction,
  { userId }: AccountHolder,
  { day, action }: { day: LocalDate; action: ActionType },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from points_award
    where user_id = ${userId} and day = ${day}::date and action_type = ${action}`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Ids of a user's achievements, in the order they were unlocked. */
export async function listUnlocked(
  db: Database | DatabaseTransaction,
  { userId }: AccountHolder,
): Promise<string[]> {
  const rows = await db
    .selectFrom('points_achievement')
    .select('achievement')
    .where('user_id', '=', userId)
    .orderBy('points_award_id')
    .orderBy('achievement')
    .execute();
  return rows.map(({ achievement }) => achievement);
}

const AWARD_COLUMNS = sql.raw(`action_type as action, points, points_total as "pointsTotal",
  streak_count as "streakCount", is_lucky_find as "isLuckyFind", achievement`);

/** The award that a report with this source id created or claimed. */
export async function findAward(
  trx: DatabaseTransaction,
  { userId }: AccountHolder,
  { source, sourceId }: { source: AwardSource; sourceId: string },
): Promise<RecordedAward | null> {
  const { rows } = await sql<RecordedAward>`
    select ${AWARD_COLUMNS} from points_award
    where user_id = ${userId} and source = ${source} and source_id = ${sourceId}
    union all
    select ${AWARD_COLUMNS} from points_award
    where user_id = ${userId} and source = ${otherThan(source)} and claim_id = ${sourceId}`.execute(
    trx,
  );
  return rows[0] ?? null;
}

/**
 * Claims the oldest unclaimed award that the other source reported since the given time, and sets its totals to the
 * current ones.
 */
export async function claimAward(
  trx: DatabaseTransaction,
  { userId }: AccountHolder,
  claim: {
    source: AwardSource;
    sourceId: string | null;
    action: ActionType;
    since: Date;
    at: Date;
    pointsTotal: number;
    streakCount: number;
  },
): Promise<RecordedAward | null> {
  const { rows } = await sql<RecordedAward>`
    update points_award set claimed_at = ${claim.at}, claim_id = ${claim.sourceId},
      points_total = ${claim.pointsTotal}, streak_count = ${claim.streakCount}
    where id = (select id from points_award
      where user_id = ${userId} and action_type = ${claim.action} and claimed_at is null
        and source = ${otherThan(claim.source)} and created_at >= ${claim.since}
      order by id limit 1)
    returning ${AWARD_COLUMNS}`.execute(trx);
  return rows[0] ?? null;
}

function otherThan(source: AwardSource): AwardSource {
  return source === 'client' ? 'service' : 'client';
}

/** Writes the award, the achievements it unlocks and the new totals in one statement. */
export async function insertAward(
  trx: DatabaseTransaction,
  { workspaceId, userId }: AccountHolder,
  award: RecordedAward & {
    day: LocalDate;
    streakImpact: number;
    source: AwardSource;
    sourceId: string | null;
    context: Readonly<Record<string, unknown>> | null;
    unlocked: readonly string[];
    at: Date;
  },
  after: Pick<PointsAccount, 'actionCounts' | 'luckyFinds' | 'streak'>,
): Promise<void> {
  const context = award.context === null ? null : JSON.stringify(award.context);
  const { streak } = after;
  await sql`
    with award as (
      insert into points_award (user_id, workspace_id, action_type, points, streak_impact, day,
        source, source_id, context, is_lucky_find, achievement, points_total, streak_count,
        created_at)
      values (${userId}, ${workspaceId}, ${award.action}, ${award.points}, ${award.streakImpact},
        ${award.day}, ${award.source}, ${award.sourceId}, ${context}, ${award.isLuckyFind},
        ${award.achievement}, ${award.pointsTotal}, ${award.streakCount}, ${award.at})
      returning id
    ), unlocked as (
      insert into points_achievement (user_id, workspace_id, achievement, points_award_id,
        unlocked_at)
      select ${userId}::uuid, ${workspaceId}::uuid, achievement, award.id, ${award.at}::timestamptz
      from award, unnest(${award.unlocked}::text[]) as achievement
    )
    update points_account set points = ${award.pointsTotal}, current_streak = ${streak.current},
      longest_streak = ${streak.longest}, last_day = ${streak.lastDay},
      last_day_impact = ${streak.lastDayImpact}, days_in_row = ${streak.daysInRow},
      lucky_finds = ${after.luckyFinds}, action_counts = ${JSON.stringify(after.actionCounts)},
      updated_at = ${award.at}
    where user_id = ${userId}`.execute(trx);
}

function toAccount(row: AccountRow): PointsAccount {
  const { timeZone, points, luckyFinds, actionCounts, ...streak } = row;
  return { timeZone, points, luckyFinds, actionCounts, streak };
}
