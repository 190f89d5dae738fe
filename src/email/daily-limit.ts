import { sql } from 'kysely';
import { PLANS } from '#src/billing/plans.ts';
import type { EmailMessageId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import type { AccountAddress, AccountRecord } from './accounts.ts';

/** Messages that an account may send per day: its own limit, capped by the plan's. */
export function dailyLimitOf(account: Pick<AccountRecord, 'daily_limit' | 'plan_tier'>): number {
  const most = PLANS[account.plan_tier].dailyEmailsPerAccount;
  return Math.min(account.daily_limit ?? most, most);
}

/** @throws Problem BAD_REQUEST for a limit above the plan's */
export function assertWithinPlan(dailyLimit: number | null | undefined, plan: PlanTier): void {
  const most = PLANS[plan].dailyEmailsPerAccount;
  if (dailyLimit === null || dailyLimit === undefined || dailyLimit <= most) return;
  throw new Problem(
    'BAD_REQUEST',
    `body.daily_limit: the ${plan} plan allows ${most} messages a day and account. Give at most ${most}, or leave it out.`,
  );
}

/**
 * Counts one message on the account's current day, before it is sent. Concurrent calls are serialized.
 * @param limit see `dailyLimitOf`
 * @returns the day that it counts on, `YYYY-MM-DD`
 * @throws Problem RATE_LIMIT_EXCEEDED when the limit is reached
 */
export async function reserveDailySend(
  trx: DatabaseTransaction,
  { workspaceId, id }: AccountAddress,
  limit: number,
): Promise<string> {
  const { rows } = await sql<{ day: string }>`
    update email_account a set
      daily_sent = case when a.sent_on >= ${TODAY} then a.daily_sent + 1 else 1 end,
      sent_on = greatest(a.sent_on, ${TODAY})
    where a.workspace_id = ${workspaceId} and a.id = ${id} and ${limit}::int > 0
      and (a.sent_on is null or a.sent_on < ${TODAY} or a.daily_sent < ${limit}::int)
    returning a.sent_on::text as day`.execute(trx);
  const [reserved] = rows;
  if (!reserved) throw await dailyLimitReached(trx, { workspaceId, id }, limit);
  return reserved.day;
}

/**
 * Subtracts messages that were not sent from their account's day, if it is still the same day, and each once. The
 * caller must have locked the account.
 */
export async function releaseDailySend(
  trx: DatabaseTransaction,
  { workspaceId, id }: AccountAddress,
  messageIds: readonly EmailMessageId[],
): Promise<void> {
  const { rows } = await sql`
    update email_message m set counted_on = null from email_account a
    where m.id = any(${messageIds}::uuid[]) and m.workspace_id = ${workspaceId}
      and a.id = m.email_account_id and a.id = ${id} and m.counted_on = a.sent_on
    returning m.id`.execute(trx);
  if (rows.length === 0) return;
  await sql`update email_account set daily_sent = greatest(0, daily_sent - ${rows.length}::int)
    where workspace_id = ${workspaceId} and id = ${id}`.execute(trx);
}

const TODAY = sql.raw<string>('(now() at time zone a.time_zone)::date');

async function dailyLimitReached(
  trx: DatabaseTransaction,
  { workspaceId, id }: AccountAddress,
  limit: number,
): Promise<Problem> {
  const { rows } = await sql<{ zone: string; resets_at: Date; seconds: number }>`
    select zone, resets_at, extract(epoch from resets_at - now())::float8 as seconds
    from (select a.time_zone as zone,
      (greatest(${TODAY}, a.sent_on) + 1)::timestamp at time zone a.time_zone as resets_at
      from email_account a where a.workspace_id = ${workspaceId} and a.id = ${id}) day`.execute(
    trx,
  );
  const [day] = rows;
  const when = day
    ? ` Its next day begins at midnight in ${day.zone}, ${day.resets_at.toISOString()}.`
    : '';
  return new Problem(
    'RATE_LIMIT_EXCEEDED',
    `The account has reached its limit of ${limit} messages a day.${when} A larger limit: PATCH /email-accounts/${id} with daily_limit, up to what the plan allows.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(day?.seconds ?? 1)) },
  );
}
