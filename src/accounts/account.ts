import { sql } from 'kysely';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { PlanTier } from '#src/tables/accounts.ts';

/** One's own user account and the workspace that it is in. */
export interface Account {
  userId: UserId;
  workspaceId: WorkspaceId;
  workspaceName: string;
  displayName: string;
  email: string | null;
  plan: PlanTier;
  timeZone: string;
}

/** Whose account. */
interface AccountOwner {
  workspaceId: WorkspaceId;
  userId: UserId;
}

/** @throws Problem UNAUTHENTICATED when the account was removed while its key was still known */
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
 * Changes the name or the time zone of an account. The zone says when the account's days begin, so it changes once in
 * 24 hours at most; another name of the same zone is no change.
 * @throws Problem CONFLICT when the zone was changed less than 24 hours ago, and then neither is changed
 */
export async function updateAccount(
  db: Database,
  owner: AccountOwner,
  /** `timeZone` is one that `nameTimeZone` gave. */
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
 * The zone's name as the tz database writes it where this runtime tells, else as it was given; null for what is no
 * name of a zone. An offset such as +01:00 is none: it knows no summer.
 */
export function nameTimeZone(text: string): string | null {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text)) return null;
  const rules = zoneRules(text);
  if (rules === null) return null;
  // The runtime's own name may be an older one of the same zone (Asia/Calcutta), which nobody asked for.
  return rules.toLowerCase() === text.toLowerCase() ? rules : text;
}

/** One name for all names of a zone, or null for an unknown one. */
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
