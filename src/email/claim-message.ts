import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { EmailAccountId, EmailMessageId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** Longer than an attempt can take, so an expired claim belongs to a dead worker. */
const LEASE_SECONDS = 40;
/** Tolerance for a delayed job that runs slightly early. */
const EARLY_SECONDS = 1;

/** A message that only this worker sends. */
export interface ClaimedMessage {
  id: EmailMessageId;
  workspace_id: WorkspaceId;
  email_account_id: EmailAccountId;
  user_id: UserId | null;
  kind: 'verification' | 'message';
  recipient: string;
  subject: string | null;
  text_body: string | null;
  html_body: string | null;
  reply_to: string | null;
  /** Including this one. */
  attempts: number;
  /** Set when a worker died after it had started to send the content. */
  data_started_at: Date | null;
  request_id: string | null;
  /** The address of the user who requested it, if known. */
  requested_by: string | null;
  claim_token: string;
  /** Whether it was given a turn. */
  has_turn: boolean;
  /** How long it has waited for a sending limit; null if it has not. */
  limited_ms: number | null;
  account: SendingAccount;
  /** Whether the account still has the settings that the message was requested with. */
  is_current: boolean;
}

/** The fields of the account that are needed to send through it. */
export interface SendingAccount {
  email: string;
  from_name: string;
  smtp_host: string;
  smtp_port: number;
  smtp_user: string;
  /** Sealed. */
  smtp_password: string;
  verification_token: string;
}

/**
 * Claims a message that is due.
 * @returns null when it is not due or another worker has claimed it
 */
export async function claimMessage(
  db: Database,
  id: EmailMessageId,
): Promise<ClaimedMessage | null> {
  const { rows } = await sql<ClaimedMessage>`
    update email_message m set status = 'sending', claim_token = ${randomUUID()},
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      attempts = m.attempts + 1, next_attempt_at = null
    from email_account a
    where m.id = ${id} and a.id = m.email_account_id and a.workspace_id = m.workspace_id and (
      m.status = 'queued' and (m.next_attempt_at is null
        or m.next_attempt_at <= now() + make_interval(secs => ${EARLY_SECONDS}))
      or m.status = 'sending' and m.claimed_until < now())
    returning m.id, m.workspace_id, m.email_account_id, m.user_id, m.kind, m.recipient, m.subject,
      m.text_body, m.html_body, m.reply_to, m.attempts, m.data_started_at, m.request_id,
      m.claim_token, m.turn_at is not null as has_turn,
      (extract(epoch from now() - m.limited_since) * 1000)::float8 as limited_ms,
      (select u.email from user_account u where u.id = m.user_id) as requested_by,
      a.settings_revision = m.settings_revision as is_current,
      json_build_object('email', a.email, 'from_name', a.from_name, 'smtp_host', a.smtp_host,
        'smtp_port', a.smtp_port, 'smtp_user', a.smtp_user, 'smtp_password', a.smtp_password,
        'verification_token', a.verification_token) as account`.execute(db);
  return rows[0] ?? null;
}

/** Another worker or a change of the account has ended the claim. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/**
 * Records that the content is about to be sent: from here on the message may have been sent.
 * @throws ClaimLost
 */
export async function markDataStarted(db: Database, message: ClaimedMessage): Promise<void> {
  const { rows } = await sql`
    update email_message set data_started_at = now(),
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = ${message.id} and workspace_id = ${message.workspace_id} and status = 'sending'
      and claim_token = ${message.claim_token}
    returning id`.execute(db);
  if (rows.length === 0) throw new ClaimLost('The message no longer belongs to this worker.');
}

/** Releases the claim on a message whose content was not sent, so that the next worker can start at once. */
export async function releaseClaim(
  db: Database,
  message: ClaimedMessage,
  { attemptCounts }: { attemptCounts: boolean },
): Promise<void> {
  await sql`
    update email_message set status = 'queued', claim_token = null, claimed_until = null,
      data_started_at = null, attempts = attempts - ${attemptCounts ? 0 : 1}::int
    where id = ${message.id} and workspace_id = ${message.workspace_id}
      and claim_token = ${message.claim_token}`.execute(db);
}
