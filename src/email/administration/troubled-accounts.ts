import { sql } from 'kysely';
import type { EmailAccountId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** A sender account that failed to send some or all of its mail. */
export interface TroubledAccount {
  id: EmailAccountId;
  email: string;
  /** The latest failure. */
  error: string;
  failed: number;
  since: Date;
}

/** Accounts whose last verification failed. */
export async function unverifiedAccounts(
  db: Database,
  workspaceId: WorkspaceId,
  limit: number,
): Promise<TroubledAccount[]> {
  const { rows } = await sql<TroubledAccount>`
    select a.id, a.email, coalesce(v.error, '') as error, 1 as failed,
      coalesce(v.finished_at, v.created_at) as since
    from email_account a cross join lateral (
      select status, error, finished_at, created_at from email_message
      where email_account_id = a.id and kind = 'verification'
      order by created_at desc, id desc limit 1) v
    where a.workspace_id = ${workspaceId} and v.status in ('failed', 'unknown')
    order by since desc, a.id limit ${limit}`.execute(db);
  return rows;
}

/** Accounts with messages that failed since then, or whose fate is unknown. */
export async function accountsWithFailures(
  db: Database,
  workspaceId: WorkspaceId,
  { since, limit }: { since: Date; limit: number },
): Promise<TroubledAccount[]> {
  const { rows } = await sql<TroubledAccount>`
    select a.id, a.email, coalesce((array_agg(m.error order by m.finished_at desc))[1], '') as error,
      count(*)::int as failed, coalesce(min(m.finished_at), ${since}::timestamptz) as since
    from email_message m join email_account a on a.id = m.email_account_id
    where m.workspace_id = ${workspaceId} and m.kind = 'message'
      and m.status in ('failed', 'unknown') and m.finished_at >= ${since}
    group by a.id, a.email order by failed desc, a.id limit ${limit}`.execute(db);
  return rows;
}
