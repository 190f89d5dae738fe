import { randomUUID } from 'node:crypto';
import type { EmailMessageId, UserId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { EmailServices } from '#src/email/email-services.ts';
import type { AccountAddress, AccountRecord } from '#src/email/accounts.ts';
import { assertMayBeContacted } from '#src/email/contactable.ts';
import { dailyLimitOf, reserveDailySend } from '#src/email/daily-limit.ts';
import { placeInLine } from '#src/email/place-in-line.ts';
import { sendJobs } from '#src/email/send-jobs.ts';

type MessageKind = 'message' | 'verification';

/** The field of the request that names the recipient. */
const RECIPIENT_FIELD = { message: 'to', verification: 'test_recipient' } as const;

/** The row of a message. `place` is null when the row existed already, so that no job is needed. */
interface QueuedMessage {
  id: EmailMessageId;
  place: number | null;
}

interface NewRow {
  kind: MessageKind;
  userId: UserId;
  recipient: string;
  requestId: string;
  content?: {
    subject: string;
    text_body: string;
    html_body: string | null;
    reply_to: string | null;
    idempotency_key: string | null;
    request_hash: string;
  };
}

/** Finds or inserts a row in a transaction, and sends its job once the row is committed. */
export async function queueMessage(
  services: Pick<EmailServices, 'db' | 'producer' | 'log'>,
  { kind, requestId }: Pick<NewRow, 'kind' | 'requestId'>,
  findOrInsert: (trx: DatabaseTransaction) => Promise<QueuedMessage>,
): Promise<EmailMessageId> {
  const { id, place } = await services.db.transaction().execute(findOrInsert);
  if (place !== null) await sendJobs(services, [{ id, kind }], { requestId, place });
  return id;
}

/**
 * Inserts the row of a message and counts it on the account's day. The caller has locked the account.
 * @throws Problem CONFLICT when the recipient must not be contacted, RATE_LIMIT_EXCEEDED when the account's daily limit
 * is reached
 */
export async function insertMessage(
  trx: DatabaseTransaction,
  address: AccountAddress,
  account: AccountRecord,
  { kind, userId, recipient, requestId, content }: NewRow,
): Promise<QueuedMessage> {
  const { workspaceId } = address;
  await assertMayBeContacted(trx, workspaceId, { field: RECIPIENT_FIELD[kind], recipient });
  const countedOn = await reserveDailySend(trx, address, dailyLimitOf(account));
  const id = randomUUID() as EmailMessageId; // a new row's id is branded at its source
  await trx
    .insertInto('email_message')
    .values({
      id,
      workspace_id: workspaceId,
      email_account_id: address.id,
      user_id: userId,
      kind,
      recipient,
      ...content,
      settings_revision: account.settings_revision,
      counted_on: countedOn,
      request_id: requestId,
    })
    .execute();
  return { id, place: await placeInLine(trx, workspaceId) };
}
