import { sql } from 'kysely';
import type { EmailAccountId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import { unknownAccount } from './path-ids.ts';

// Lock order: the workspace, then the account, then its messages.

/** Identifies an account in its workspace. */
export interface AccountAddress {
  workspaceId: WorkspaceId;
  id: EmailAccountId;
}

/** Everything about an account that can be shown (all but its password), and the plan that limits it. */
export interface AccountRecord {
  id: EmailAccountId;
  email: string;
  from_name: string;
  smtp_host: string;
  smtp_port: number;
  smtp_user: string;
  settings_revision: number;
  verified: boolean;
  verified_at: Date | null;
  is_default: boolean;
  /** From the last verification; parsed on display. */
  deliverability: unknown;
  deliverability_at: Date | null;
  daily_limit: number | null;
  time_zone: string;
  /** Messages sent on the account's current day. */
  sent_today: number;
  /** When `sent_today` is reset. */
  resets_at: Date;
  created_at: Date;
  plan_tier: PlanTier;
  /** The database's time. */
  now: Date;
}

/**
 * The account's current day. It never goes back: after a move to an earlier zone, the day that has begun lasts longer.
 */
const DAY = sql.raw<string>(`greatest((now() at time zone a.time_zone)::date, a.sent_on)`);

const ACCOUNT = sql<AccountRecord>`a.id, a.email, a.from_name, a.smtp_host, a.smtp_port, a.smtp_user,
  a.settings_revision, a.verified, a.verified_at, a.is_default, a.deliverability, a.deliverability_at,
  a.daily_limit, a.time_zone,
  case when a.sent_on = ${DAY} then a.daily_sent else 0 end as sent_today,
  (${DAY} + 1)::timestamp at time zone a.time_zone as resets_at,
  a.created_at, w.plan_tier, now() as now
  from email_account a join workspace w on w.id = a.workspace_id`;

/** Oldest first. */
export async function listAccounts(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<AccountRecord[]> {
  const { rows } = await sql<AccountRecord>`
    select ${ACCOUNT} where a.workspace_id = ${workspaceId} order by a.created_at, a.id`.execute(
    db,
  );
  return rows;
}

/** @throws Problem NOT_FOUND */
export async function countAccounts(db: Database, workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ accounts: number }>`
    select count(*)::int as accounts from email_account where workspace_id = ${workspaceId}`.execute(
    db,
  );
  return rows[0]?.accounts ?? 0;
}

export async function findAccount(
  db: Database | DatabaseTransaction,
  address: AccountAddress,
): Promise<AccountRecord> {
  return read(db, address, sql``);
}

/**
 * Reads and locks the account: until the transaction ends, nobody else can change it or count messages on it.
 * @throws Problem NOT_FOUND
 */
export async function lockAccount(
  trx: DatabaseTransaction,
  address: AccountAddress,
): Promise<AccountRecord> {
  return read(trx, address, sql`for no key update of a`);
}

/** The row name that the account's password is sealed for. */
export function sealedFor(id: EmailAccountId): string {
  return `email_account:${id}`;
}

async function read(
  db: Database | DatabaseTransaction,
  { workspaceId, id }: AccountAddress,
  lock: ReturnType<typeof sql>,
): Promise<AccountRecord> {
  const { rows } = await sql<AccountRecord>`
    select ${ACCOUNT} where a.workspace_id = ${workspaceId} and a.id = ${id} ${lock}`.execute(db);
  const [found] = rows;
  if (!found) throw unknownAccount(id);
  return found;
}

export const SETTINGS_CHANGED =
  'The SMTP settings of the account were changed before it was sent. Verify the account (POST /email-accounts/{id}/verify), then send it again.';
