import { sql, type UpdateObject } from 'kysely';
import type { EmailMessageId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { EmailServices } from '#src/email/email-services.ts';
import type { Tables } from '#src/tables/tables.ts';
import type { AccountChange } from './account-request.ts';
import {
  type AccountAddress,
  type AccountRecord,
  findAccount,
  lockAccount,
  sealedFor,
  SETTINGS_CHANGED,
} from '#src/email/accounts.ts';
import { assertWithinPlan, releaseDailySend } from '#src/email/daily-limit.ts';
import { assertZoneIsStored } from './stored-zone.ts';
import { vetSmtpServer } from './vet-smtp-server.ts';

type Columns = UpdateObject<Tables, 'email_account'>;

/**
 * Changes the fields that were sent and keeps the rest. A change of server, user or password requires a new
 * verification and fails unsent messages, which were queued for the old settings.
 * @throws Problem NOT_FOUND, BAD_REQUEST
 */
export async function changeAccount(
  services: Pick<EmailServices, 'config' | 'db' | 'http' | 'secrets'>,
  address: AccountAddress,
  change: AccountChange,
  signal: AbortSignal,
): Promise<AccountRecord> {
  const { config, db, http, secrets } = services;
  const known = await findAccount(db, address);
  const server = isServerNamed(change)
    ? await vetSmtpServer(
        http.guard,
        { host: change.smtp_host ?? known.smtp_host, port: change.smtp_port ?? known.smtp_port },
        { allowPort25: config.SMTP_ALLOW_PORT_25, signal },
      )
    : null;
  if (change.time_zone !== undefined) await assertZoneIsStored(db, change.time_zone);
  const password =
    change.smtp_password === undefined
      ? null
      : secrets.seal(change.smtp_password, sealedFor(address.id));
  return db.transaction().execute(async (trx) => {
    const before = await lockAccount(trx, address);
    assertWithinPlan(change.daily_limit, before.plan_tier);
    // Compare with the current values: another change may have been saved since.
    const named = {
      host: change.smtp_host === undefined || server === null ? before.smtp_host : server.host,
      port: change.smtp_port ?? before.smtp_port,
    };
    const isMoved = named.host !== before.smtp_host || named.port !== before.smtp_port;
    if (isMoved && password === null) throw passwordNeeded();
    const user = change.smtp_user ?? before.smtp_user;
    const isOther = isMoved || password !== null || user !== before.smtp_user;
    await write(trx, address, {
      ...(change.from_name !== undefined && { from_name: change.from_name }),
      ...(change.daily_limit !== undefined && { daily_limit: change.daily_limit }),
      ...(change.time_zone !== undefined && { time_zone: change.time_zone }),
      ...(password !== null && { smtp_password: password }),
      ...(isOther && {
        smtp_host: named.host,
        smtp_port: named.port,
        smtp_user: user,
        settings_revision: before.settings_revision + 1,
        verified: false,
        verified_at: null,
      }),
    });
    if (isOther) await endUnsent(trx, address);
    return findAccount(trx, address);
  });
}

function isServerNamed(change: AccountChange): boolean {
  return change.smtp_host !== undefined || change.smtp_port !== undefined;
}

/** Someone who can change an account must not learn its password by pointing it at a server of their own. */
function passwordNeeded(): Problem {
  return new Problem(
    'BAD_REQUEST',
    'body.smtp_password: is required when smtp_host or smtp_port changes, because the stored password is for the previous server. Send it too.',
  );
}

async function write(
  trx: DatabaseTransaction,
  { workspaceId, id }: AccountAddress,
  columns: Columns,
): Promise<void> {
  if (Object.keys(columns).length === 0) return;
  await trx
    .updateTable('email_account')
    .set({ ...columns, updated_at: sql<Date>`now()` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** A message whose content is already being sent continues; a worker that is not that far finds its claim lost. */
async function endUnsent(trx: DatabaseTransaction, address: AccountAddress): Promise<void> {
  const { rows } = await sql<{ id: EmailMessageId }>`
    update email_message set status = 'failed', finished_at = now(), claim_token = null,
      claimed_until = null, next_attempt_at = null, subject = null, text_body = null,
      html_body = null, reply_to = null, error_class = 'failed', error = ${SETTINGS_CHANGED}
    where workspace_id = ${address.workspaceId} and email_account_id = ${address.id}
      and finished_at is null and data_started_at is null
    returning id`.execute(trx);
  await releaseDailySend(
    trx,
    address,
    rows.map(({ id }) => id),
  );
}
