import { sql } from 'kysely';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { EmailServices } from './email-services.ts';
import { emitEvents, sendDeliveries, type ToDeliver } from '#src/webhooks/emit-event.ts';
import type { ClaimedMessage } from './claim-message.ts';
import { releaseDailySend } from './daily-limit.ts';
import { sendJobs } from './send-jobs.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';

export type RecordServices = Pick<
  EmailServices,
  'clock' | 'db' | 'log' | 'pointsAwarder' | 'producer'
>;

/** The final result of a message. */
type Ending = { advice: readonly string[] } & (
  | { status: 'sent' }
  | { status: 'failed'; errorClass: SmtpErrorClass; error: string }
  | { status: 'unknown'; error: string }
);

/**
 * Finishes a message: deletes its content, marks the account as verified if it was a verification, and no longer counts
 * an unsent message on the account's day.
 * @returns false when the claim was lost meanwhile; nothing is changed then
 */
export async function endMessage(
  services: RecordServices,
  message: ClaimedMessage,
  ending: Ending,
): Promise<boolean> {
  const { db, clock, pointsAwarder } = services;
  const at = clock();
  const done = await db.transaction().execute(async (trx) => {
    const account = await lockOwnAccount(trx, message);
    if (account === null || !(await writeEnding(trx, message, ending))) return null;
    if (ending.status === 'failed') {
      await releaseDailySend(trx, addressOf(message), [message.id]);
    }
    return ending.status === 'sent' && message.kind === 'verification'
      ? verify(trx, message, account, at)
      : [];
  });
  if (done === null) return false;
  await sendDeliveries(services, done, { requestId: message.request_id });
  const { workspace_id: workspaceId, user_id: userId, id: sourceId } = message;
  if (ending.status === 'sent' && message.kind === 'message' && userId !== null) {
    pointsAwarder.submit({ workspaceId, userId, action: 'outreach', sourceId });
  }
  return true;
}

interface Postponement {
  delayMs: number;
  errorClass: SmtpErrorClass | null;
  error: string;
  /** Set when it waits for a sending limit: the attempt does not count. */
  limited?: { hasTurn: boolean };
}

/**
 * Puts a message back in the queue.
 * @returns false when the claim was lost meanwhile
 */
export async function postponeMessage(
  services: RecordServices,
  message: ClaimedMessage,
  { delayMs, errorClass, error, limited }: Postponement,
): Promise<boolean> {
  const isLimited = limited !== undefined;
  const { rows } = await sql`
    update email_message set status = 'queued', claim_token = null, claimed_until = null,
      data_started_at = null, error_class = ${errorClass}, error = ${error},
      attempts = attempts - ${isLimited ? 1 : 0}::int,
      limited_since = case when ${isLimited} then coalesce(limited_since, now()) end,
      turn_at = case when ${limited?.hasTurn === true}
        then now() + ${delayMs}::float8 * interval '1 millisecond' end,
      next_attempt_at = now() + ${delayMs}::float8 * interval '1 millisecond',
      queued_at = now() + ${delayMs}::float8 * interval '1 millisecond'
    where id = ${message.id} and workspace_id = ${message.workspace_id}
      and claim_token = ${message.claim_token}
    returning id`.execute(services.db);
  if (rows.length === 0) return false;
  await sendJobs(services, [message], { delayMs, requestId: message.request_id });
  return true;
}

interface OwnAccount {
  email: string;
  verified: boolean;
}

/** Locked before the message, in the same order as account deletion. */
async function lockOwnAccount(
  trx: DatabaseTransaction,
  message: ClaimedMessage,
): Promise<OwnAccount | null> {
  const { rows } = await sql<OwnAccount>`
    select email, verified from email_account
    where id = ${message.email_account_id} and workspace_id = ${message.workspace_id}
    for no key update`.execute(trx);
  return rows[0] ?? null;
}

async function writeEnding(
  trx: DatabaseTransaction,
  message: ClaimedMessage,
  ending: Ending,
): Promise<boolean> {
  const errorClass = ending.status === 'failed' ? ending.errorClass : null;
  const error = ending.status === 'sent' ? null : ending.error;
  const { rows } = await sql`
    update email_message set status = ${ending.status}, finished_at = now(), claim_token = null,
      claimed_until = null, next_attempt_at = null, subject = null, text_body = null,
      html_body = null, reply_to = null, error_class = ${errorClass}, error = ${error},
      advice = ${JSON.stringify(ending.advice)}::json
    where id = ${message.id} and workspace_id = ${message.workspace_id}
      and claim_token = ${message.claim_token}
    returning id`.execute(trx);
  return rows.length > 0;
}

/**
 * Verifies only the settings that the message was sent with.
 * @returns the webhook deliveries to make
 */
async function verify(
  trx: DatabaseTransaction,
  message: ClaimedMessage,
  account: OwnAccount,
  at: Date,
): Promise<ToDeliver> {
  const { workspace_id: workspaceId, email_account_id: id } = message;
  const { rows } = await sql`
    update email_account a set verified = true, verified_at = now(), updated_at = now()
    from email_message m where m.id = ${message.id} and a.id = ${id}
      and a.workspace_id = ${workspaceId} and a.settings_revision = m.settings_revision
    returning a.id`.execute(trx);
  if (rows.length === 0 || account.verified) return [];
  const data = { email_account_id: id, email: account.email };
  return emitEvents(trx, [{ type: 'email_account.verified', data, workspaceId, at }]);
}

function addressOf(message: ClaimedMessage) {
  return { workspaceId: message.workspace_id, id: message.email_account_id };
}
