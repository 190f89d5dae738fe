import { createHash } from 'node:crypto';
import type { EmailMessageId, UserId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { EmailServices } from '#src/email/email-services.ts';
import { type AccountAddress, lockAccount } from '#src/email/accounts.ts';
import { insertMessage, queueMessage } from './queue-message.ts';
import type { NewMessage } from './send-request.ts';

interface SendRequest {
  userId: UserId;
  message: NewMessage;
  /** The client's `Idempotency-Key`. */
  idempotencyKey: string | null;
  requestId: string;
}

/**
 * Accepts a message to be sent through an account, once per idempotency key. When this resolves, the message's row is
 * committed.
 * @throws Problem NOT_FOUND; CONFLICT when the account is not verified, the recipient must not be contacted, or the key
 * was used for another message; RATE_LIMIT_EXCEEDED when the account's daily limit is reached
 */
export async function requestSend(
  services: Pick<EmailServices, 'db' | 'producer' | 'log'>,
  address: AccountAddress,
  request: SendRequest,
): Promise<EmailMessageId> {
  const { requestId } = request;
  return queueMessage(services, { kind: 'message', requestId }, (trx) =>
    findOrInsert(trx, address, request),
  );
}

async function findOrInsert(
  trx: DatabaseTransaction,
  address: AccountAddress,
  { userId, message, idempotencyKey, requestId }: SendRequest,
) {
  const account = await lockAccount(trx, address);
  const requestHash = hashOf(message);
  const earlier =
    idempotencyKey === null ? null : await findByKey(trx, address, { idempotencyKey, requestHash });
  if (earlier !== null) return { id: earlier, place: null };
  if (!account.verified) {
    throw new Problem(
      'CONFLICT',
      `The account ${account.email} is not verified, so nothing is sent through it. Verify it first: POST /email-accounts/${address.id}/verify with a test_recipient.`,
    );
  }
  return insertMessage(trx, address, account, {
    kind: 'message',
    userId,
    recipient: message.to,
    requestId,
    content: {
      subject: message.subject,
      text_body: message.text,
      html_body: message.html ?? null,
      reply_to: message.reply_to ?? null,
      idempotency_key: idempotencyKey,
      request_hash: requestHash,
    },
  });
}

/** The message that the key was used for. The account is locked, so no concurrent request can insert it. */
async function findByKey(
  trx: DatabaseTransaction,
  { workspaceId, id }: AccountAddress,
  { idempotencyKey, requestHash }: { idempotencyKey: string; requestHash: string },
): Promise<EmailMessageId | null> {
  const earlier = await trx
    .selectFrom('email_message')
    .select(['id', 'request_hash'])
    .where('workspace_id', '=', workspaceId)
    .where('email_account_id', '=', id)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst();
  if (!earlier) return null;
  if (earlier.request_hash === requestHash) return earlier.id;
  throw new Problem(
    'CONFLICT',
    `This Idempotency-Key was used for another message: GET /email-messages/${earlier.id}. Send a new key with each new message.`,
  );
}

/** Equal messages have equal hashes, whatever the order of their fields. */
function hashOf({ to, subject, text, html, reply_to: replyTo }: NewMessage): string {
  const parts = [to, subject, text, html ?? null, replyTo ?? null];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
