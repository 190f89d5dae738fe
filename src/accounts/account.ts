import { sql } from 'kysely';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { PlanTier } from '#src/tables/accounts.ts';

/** The caller's user account and its workspace. */
export interface Account {
  userId: UserId;
  workspaceId: WorkspaceId;
  workspaceName: string;
  displayName: string;
  email: string | null;
  plan: PlanTier;
  timeZone: string;
}

/** Identifies the account to read or change. */
interface AccountOwner {
  workspaceId: WorkspaceId;
  userId: UserId;
}

/** @throws Problem UNAUTHENTICATED when the account was removed while its key was still cached */
export async function readAccount(
  db: Database | DatabaseTransaction,
  { workspaceId, userId }: AccountOwner,
): Promise<Account> {
  const row = await db
    .selectFrom('user_account as u')
    .innerJoin('workspace as w', 'w.id', 'u.workspace_id')
    .select(['u.id', 'u.display_name', 'u.email', 'u.time_zone', 'w.name', 'w.plan_tier'])
    .where('u.id', '=', userId)
    .where('u.workspace_id', '=', workspaceId)
    .executeTakeFirst();
  if (!row) throw removed();
  return {
    userId: row.id,
    workspaceId,
    workspaceName: row.name,
    displayName: row.display_name,
    email: row.email,
    plan: row.plan_tier,
    timeZone: row.time_zone,
  };
}

/**
 * Changes the name or the time zone of an account. The time zone decides when the account's days begin, so it can
 * change only once in 24 hours; an alias of the current zone is not a change.
 * @throws Problem CONFLICT when the zone was changed less than 24 hours ago; then nothing is changed
 */
export async function updateAccount(
  db: Database,
  owner: AccountOwner,
  /** `timeZone` must come from `nameTimeZone`. */
  change: { displayName: string | null; timeZone: string | null },
): Promise<Account> {
  return db.transaction().execute(async (trx) => {
    const known = await lockAccount(trx, owner);
    const zone = change.timeZone ?? known.timeZone;
    const moves = zoneRules(zone) !== zoneRules(known.timeZone);
    if (moves && known.mayMoveAt !== null && known.mayMoveAt > known.now) {
      throw new Problem(
        'CONFLICT',
        `body.time_zone: the time zone was changed less than 24 hours ago. It may change again at ${known.mayMoveAt.toISOString()}.`,
      );
    }
    await trx
      .updateTable('user_account')
      .set({
        display_name: change.displayName ?? known.displayName,
        time_zone: zone,
        ...(moves ? { time_zone_changed_at: sql<Date>`now()` } : {}),
      })
      .where('id', '=', owner.userId)
      .execute();
    return readAccount(trx, owner);
  });
}

/**
 * The zone's name in the spelling of the tz database if the runtime knows it, otherwise as given; null if it is not a
 * zone name. An offset such as +01:00 is rejected: it has no daylight saving time.
 */
export function nameTimeZone(text: string): string | null {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text)) return null;
  const rules = zoneRules(text);
  if (rules === null) return null;
  // The runtime may return an older alias of the same zone (Asia/Calcutta), which the user did not ask for.
  return rules.toLowerCase() === text.toLowerCase() ? rules : text;
}

/** One canonical name for all aliases of a zone, or null for an unknown zone. */
function zoneRules(timeZone: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

async function lockAccount(trx: DatabaseTransaction, { workspaceId, userId }: AccountOwner) {
  const row = await trx
    .selectFrom('user_account')
    .select(['display_name as displayName', 'time_zone as timeZone'])
    .select(sql<Date | null>`time_zone_changed_at + interval '24 hours'`.as('mayMoveAt'))
    .select(sql<Date>`now()`.as('now'))
    .where('id', '=', userId)
    .where('workspace_id', '=', workspaceId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) throw removed();
  return row;
}

function removed(): Problem {
  return new Problem(
    'UNAUTHENTICATED',
    'The user account of this API key was removed. Ask an admin of the workspace for another.',
  );
}
