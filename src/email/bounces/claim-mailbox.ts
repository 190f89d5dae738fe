import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { PLANS } from '#src/billing/plans.ts';
import type { BounceMailboxId, EmailAccountId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { PLAN_TIERS, type PlanTier } from '#src/tables/accounts.ts';

/** Longer than a poll can take, so an expired claim belongs to a dead worker. */
const LEASE_SECONDS = 150;
/** Tolerance for a delayed job that runs slightly early. */
const EARLY_SECONDS = 1;

/** A mailbox claimed by this worker. */
export interface ClaimedMailbox {
  id: BounceMailboxId;
  workspace_id: WorkspaceId;
  email_account_id: EmailAccountId | null;
  kind: 'imap' | 'pop3';
  host: string;
  port: number;
  use_tls: boolean;
  username: string;
  /** Sealed. */
  password: string;
  folder: string | null;
  cursor: unknown;
  /** Failed polls since the last good one. */
  failures: number;
  claim_token: string;
}

/** Mailboxes of other plans wait until the plan includes sender accounts again. */
export const POLLED_PLANS: readonly PlanTier[] = PLAN_TIERS.filter(
  (tier) => PLANS[tier].features.email_accounts > 0,
);

/**
 * Claims a mailbox that is due.
 * @returns null when it is not due, its workspace has no sender accounts, or another worker has claimed it
 */
export async function claimMailbox(
  db: Database,
  id: BounceMailboxId,
): Promise<ClaimedMailbox | null> {
  const { rows } = await sql<ClaimedMailbox>`
    update bounce_mailbox b set claim_token = ${randomUUID()},
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    from workspace w
    where b.id = ${id} and w.id = b.workspace_id and w.plan_tier = any(${POLLED_PLANS}::text[])
      and b.next_poll_at <= now() + make_interval(secs => ${EARLY_SECONDS})
      and (b.claimed_until is null or b.claimed_until < now())
    returning b.id, b.workspace_id, b.email_account_id, b.kind, b.host, b.port, b.use_tls,
      b.username, b.password, b.folder, b.cursor, b.failures, b.claim_token`.execute(db);
  return rows[0] ?? null;
}

/**
 * Saves how far a mailbox was read.
 * @returns false when the claim is lost: the settings were changed, or another worker claimed it
 */
export async function saveCursor(
  db: Database,
  { id, claim_token: token }: ClaimedMailbox,
  cursor: unknown,
): Promise<boolean> {
  const { rows } = await sql`
    update bounce_mailbox set cursor = ${JSON.stringify(cursor)}::json,
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = ${id} and claim_token = ${token} returning id`.execute(db);
  return rows.length > 0;
}

/** How a poll ended, and when the next one is due. */
export interface PollEnd {
  nextPollMs: number;
  failure: { errorClass: string; error: string } | null;
}

/** @returns false when the claim is lost */
export async function endPoll(
  db: Database,
  { id, claim_token: token }: ClaimedMailbox,
  { nextPollMs, failure }: PollEnd,
): Promise<boolean> {
  const { rows } = await sql`
    update bounce_mailbox set claim_token = null, claimed_until = null, last_polled_at = now(),
      next_poll_at = now() + ${nextPollMs}::float8 * interval '1 millisecond',
      queued_at = now() + ${nextPollMs}::float8 * interval '1 millisecond',
      failures = case when ${failure === null} then 0 else failures + 1 end,
      error_class = ${failure?.errorClass ?? null}, error = ${failure?.error ?? null}
    where id = ${id} and claim_token = ${token} returning id`.execute(db);
  return rows.length > 0;
}

/** Releases the claim of an interrupted poll, so that the next worker can start at once. */
export async function releaseMailbox(
  db: Database,
  { id, claim_token: token }: ClaimedMailbox,
): Promise<void> {
  await sql`update bounce_mailbox set claim_token = null, claimed_until = null
    where id = ${id} and claim_token = ${token}`.execute(db);
}
