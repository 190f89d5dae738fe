import { sql } from 'kysely';
import { createAccount } from '#src/email/administration/create-account.ts';
import type { NewAccount } from '#src/email/administration/account-request.ts';
import type { AccountAddress } from '#src/email/accounts.ts';
import { deliverMessage } from '#src/email/deliver-message.ts';
import { requestSend } from '#src/email/administration/request-send.ts';
import type { EmailMessageId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { PASSWORD, SMTP_HOST } from './email-stage.ts';
import { ownerOf } from './seed-workspace.ts';

export const NEVER = new AbortController().signal;

/** Inserts a verified account without the API. */
export async function insertAccount(
  services: Services,
  workspaceId: WorkspaceId,
  fields: Partial<Pick<NewAccount, 'daily_limit' | 'smtp_host' | 'smtp_user' | 'time_zone'>> = {},
): Promise<AccountAddress> {
  const { account } = await createAccount(
    services,
    workspaceId,
    {
      email: 'sender@acme.example',
      smtp_host: SMTP_HOST,
      smtp_password: PASSWORD,
      time_zone: 'UTC',
      ...fields,
    },
    NEVER,
  );
  await sql`update email_account set verified = true where id = ${account.id}`.execute(services.db);
  return { workspaceId, id: account.id };
}

/** Submits a message; workers learn of it only through its job. */
export async function submit(
  services: Services,
  account: AccountAddress,
  fields: { to?: string; idempotencyKey?: string } = {},
): Promise<EmailMessageId> {
  const { to = 'lead@firm.test', idempotencyKey = null } = fields;
  const userId = (await ownerOf(services.db, account.workspaceId)) as UserId; // came from the database
  return requestSend(services, account, {
    userId,
    message: { to, subject: 'Hello', text: 'How are you?' },
    idempotencyKey,
    requestId: 'request-of-a-test',
  });
}

/** Delivers a message as a worker does. */
export const deliver = async (
  services: Services,
  id: EmailMessageId,
  signal: AbortSignal = NEVER,
): Promise<string> => (await deliverMessage(services, id, signal)).end;

export async function dailySent(services: Services, { id }: AccountAddress): Promise<number> {
  const { rows } = await sql<{ daily_sent: number }>`
    select daily_sent from email_account where id = ${id}`.execute(services.db);
  return rows[0]?.daily_sent ?? -1;
}

/** Makes the message's next attempt due and expires its claim. */
export async function expireClaim({ db }: Services, id: EmailMessageId): Promise<void> {
  await sql`update email_message set
    next_attempt_at = case when next_attempt_at is null then null else now() end,
    claimed_until = case when claimed_until is null then null else now() - interval '1 second' end,
    queued_at = now() - interval '1 hour' where id = ${id}`.execute(db);
}
