import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import type { BounceMailboxId, EmailAccountId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { findAccount } from '#src/email/accounts.ts';
import {
  type BounceMailboxRecord,
  findBounceMailbox,
  mailboxSealedFor,
} from '#src/email/bounces/bounce-mailboxes.ts';
import { hashReportToken } from '#src/email/bounces/receive-reports.ts';
import { sendPolls } from '#src/email/bounces/send-polls.ts';
import type { EmailServices } from '#src/email/email-services.ts';
import { accountIdOf } from '#src/email/path-ids.ts';
import type { NewBounceMailbox } from './bounce-mailbox-request.ts';
import { vetMailboxServer } from './vet-mailbox-server.ts';

/** Enough for one per sender account of a large plan. */
const MAX_MAILBOXES = 50;

type CreateServices = Pick<
  EmailServices,
  'config' | 'db' | 'http' | 'log' | 'producer' | 'secrets'
>;

/**
 * Creates a bounce mailbox and polls it at once.
 * @returns `token`: for the URL of a webhook; only its hash is stored
 * @throws Problem BAD_REQUEST for a wrong server, NOT_FOUND for an unknown account, CONFLICT when there are too many
 */
export async function createBounceMailbox(
  services: CreateServices,
  workspaceId: WorkspaceId,
  request: NewBounceMailbox,
  signal: AbortSignal,
): Promise<{ mailbox: BounceMailboxRecord; token: string | null }> {
  const id = randomUUID() as BounceMailboxId; // a new row's id is branded at its source
  const token = request.kind === 'webhook' ? randomBytes(32).toString('base64url') : null;
  const columns =
    token === null ? await serverColumns(services, id, request, signal) : hashColumns(token);
  const mailbox = await services.db.transaction().execute(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    await assertRoom(trx, workspaceId);
    const accountId = await findOwnAccount(trx, workspaceId, request.email_account_id ?? null);
    await trx
      .insertInto('bounce_mailbox')
      .values({
        id,
        workspace_id: workspaceId,
        email_account_id: accountId,
        kind: request.kind,
        ...columns,
        next_poll_at: token === null ? sql<Date>`now()` : null,
      })
      .execute();
    return findBounceMailbox(trx, { workspaceId, id });
  });
  if (token === null) await sendPolls(services, [id], 0);
  return { mailbox, token };
}

function hashColumns(token: string) {
  return { token_hash: hashReportToken(token) };
}

async function serverColumns(
  { http, secrets }: CreateServices,
  id: BounceMailboxId,
  request: NewBounceMailbox,
  signal: AbortSignal,
) {
  if (request.kind === 'webhook') return {};
  const { kind, host, port, use_tls: useTls, username, password } = request;
  const server = await vetMailboxServer(http.guard, { kind, host, port, useTls }, signal);
  return {
    ...server,
    username,
    password: secrets.seal(password, mailboxSealedFor(id)),
    folder: request.kind === 'imap' ? (request.folder ?? null) : null,
  };
}

async function assertRoom(trx: DatabaseTransaction, workspaceId: WorkspaceId): Promise<void> {
  const { rows } = await sql<{ taken: number }>`
    select count(*)::int as taken from bounce_mailbox
    where workspace_id = ${workspaceId}`.execute(trx);
  if ((rows[0]?.taken ?? 0) < MAX_MAILBOXES) return;
  throw new Problem(
    'CONFLICT',
    `This workspace has ${MAX_MAILBOXES} bounce mailboxes, which is the limit. A mailbox without email_account_id serves all sender accounts. Delete those that you do not need (DELETE /bounce-mailboxes/{id}).`,
  );
}

async function findOwnAccount(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  accountId: string | null,
): Promise<EmailAccountId | null> {
  if (accountId === null) return null;
  return (await findAccount(trx, { workspaceId, id: accountIdOf(accountId) })).id;
}
