import { sql } from 'kysely';
import type { EmailMessageId, UserId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { EmailServices } from '#src/email/email-services.ts';
import { type AccountAddress, type AccountRecord, lockAccount } from '#src/email/accounts.ts';
import { insertMessage, queueMessage } from './queue-message.ts';

/** Maximum number of verifications of one account per minute. */
const MAX_PER_MINUTE = 5;
/** A repeated request within this time after a test message was sent gets that message's result. */
const SHARED_SECONDS = 60;

interface VerificationRequest {
  userId: UserId;
  recipient: string;
  requestId: string;
}

/**
 * Starts a verification, or finds one that answers the request: in progress, or sent a moment ago. When this resolves,
 * its row is committed.
 * @throws Problem NOT_FOUND; CONFLICT while a verification to another recipient is in progress, or when the recipient
 * must not be contacted; RATE_LIMIT_EXCEEDED above five a minute, and when the account's daily limit is reached
 */
export async function requestVerification(
  services: Pick<EmailServices, 'db' | 'producer' | 'log'>,
  address: AccountAddress,
  request: VerificationRequest,
): Promise<EmailMessageId> {
  const { requestId } = request;
  return queueMessage(services, { kind: 'verification', requestId }, (trx) =>
    findOrInsert(trx, address, request),
  );
}

async function findOrInsert(
  trx: DatabaseTransaction,
  address: AccountAddress,
  { userId, recipient, requestId }: VerificationRequest,
) {
  const account = await lockAccount(trx, address);
  const shared = await findShared(trx, address, account, recipient);
  if (shared !== null) return { id: shared, place: null };
  await assertNotTooOften(trx, address);
  return insertMessage(trx, address, account, {
    kind: 'verification',
    userId,
    recipient,
    requestId,
  });
}

/** An earlier verification whose outcome also answers this request. */
async function findShared(
  trx: DatabaseTransaction,
  { workspaceId, id }: AccountAddress,
  account: AccountRecord,
  recipient: string,
): Promise<EmailMessageId | null> {
  const { rows } = await sql<{
    id: EmailMessageId;
    recipient: string;
    settings_revision: number;
    is_finished: boolean;
  }>`
    select id, recipient, settings_revision, finished_at is not null as is_finished
    from email_message
    where workspace_id = ${workspaceId} and email_account_id = ${id} and kind = 'verification'
      and (finished_at is null or status = 'sent' and recipient = ${recipient}
        and settings_revision = ${account.settings_revision}
        and finished_at > now() - make_interval(secs => ${SHARED_SECONDS}))
    order by finished_at desc nulls first limit 1`.execute(trx);
  const [found] = rows;
  if (!found) return null;
  const isSame =
    found.recipient === recipient && found.settings_revision === account.settings_revision;
  if (found.is_finished || isSame) return found.id;
  throw new Problem(
    'CONFLICT',
    found.recipient === recipient
      ? `A verification with the previous settings is being sent: GET /email-accounts/${id}/verifications/${found.id}. Try again when it is finished.`
      : `A verification of this account to another recipient is under way: GET /email-accounts/${id}/verifications/${found.id}. Try again when it is finished, or name that recipient.`,
  );
}

async function assertNotTooOften(
  trx: DatabaseTransaction,
  { workspaceId, id }: AccountAddress,
): Promise<void> {
  const { rows } = await sql<{ count: number; seconds: number | null }>`
    select count(*)::int as count,
      extract(epoch from min(created_at) + interval '1 minute' - now())::float8 as seconds
    from (select created_at from email_message
      where workspace_id = ${workspaceId} and email_account_id = ${id} and kind = 'verification'
        and created_at > now() - interval '1 minute'
      order by created_at desc limit ${MAX_PER_MINUTE}) latest`.execute(trx);
  const [latest] = rows;
  if (!latest || latest.count < MAX_PER_MINUTE) return;
  throw new Problem(
    'RATE_LIMIT_EXCEEDED',
    `This account was verified ${MAX_PER_MINUTE} times within a minute, which is the limit. GET /email-accounts/${id} shows its state.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(latest.seconds ?? 1)) },
  );
}
