import { sql } from 'kysely';
import { type AccountAddress, findAccount } from '#src/email/accounts.ts';
import { requestVerification } from '#src/email/administration/request-verification.ts';
import { readSendingPaces, type SendingPace } from '#src/email/administration/sending-pace.ts';
import type { EmailMessageId, UserId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { silentDns } from './email-stage.ts';
import { createFakeMailer, type FakeMailer } from './fake-mailer.ts';
import { ownerOf } from './seed-workspace.ts';

/** Services whose workers neither send nor wait, without accounts, messages or paces of earlier tests. */
export async function paceServices(
  opened: Services,
): Promise<{ services: Services; mailer: FakeMailer; waits: number[] }> {
  const mailer = createFakeMailer();
  const waits: number[] = [];
  const wait: Services['wait'] = (ms, signal) => {
    signal.throwIfAborted();
    waits.push(ms);
    return Promise.resolve();
  };
  const tables = ['smtp_pace', 'smtp_pace_hour', 'email_message', 'email_account'] as const;
  for (const table of tables) await opened.db.deleteFrom(table).execute();
  return { services: { ...opened, mailer, dns: silentDns, wait }, mailer, waits };
}

/** The fields of a waiting message that tests check. */
export interface HeldMessage {
  status: string;
  attempts: number;
  error_class: string | null;
  error: string | null;
  /** Milliseconds from now. */
  next_ms: number | null;
  is_limited: boolean;
}

export async function heldMessage({ db }: Services, id: EmailMessageId): Promise<HeldMessage> {
  const { rows } = await sql<HeldMessage>`
    select status, attempts, error_class, error, limited_since is not null as is_limited,
      (extract(epoch from next_attempt_at - now()) * 1000)::float8 as next_ms
    from email_message where id = ${id}`.execute(db);
  const [found] = rows;
  if (!found) throw new Error(`Message ${id} does not exist.`);
  return found;
}

/** Shifts paces and messages into the past. */
export async function passTime({ db }: Services, seconds: number): Promise<void> {
  const back = sql`make_interval(secs => ${seconds}::float8)`;
  await sql`update smtp_pace set next_send_at = next_send_at - ${back},
    line_end_at = line_end_at - ${back}`.execute(db);
  await sql`update smtp_pace_hour set hour = hour - date_trunc('hour', ${back})`.execute(db);
  await sql`update email_message set next_attempt_at = next_attempt_at - ${back},
    turn_at = turn_at - ${back}, limited_since = limited_since - ${back}`.execute(db);
}

/** Messages counted towards the days of all senders. */
export async function countedSends({ db }: Services): Promise<number> {
  const { rows } = await sql<{ sent: number }>`
    select coalesce(sum(sent), 0)::int as sent from smtp_pace_hour`.execute(db);
  return rows[0]?.sent ?? -1;
}

export async function shownPace({ db }: Services, address: AccountAddress): Promise<SendingPace> {
  const record = await findAccount(db, address);
  return (await readSendingPaces(db, address.workspaceId, [record]))(record);
}

export async function askVerification(
  services: Services,
  address: AccountAddress,
  recipient = 'me@inbox.test',
): Promise<EmailMessageId> {
  const userId = (await ownerOf(services.db, address.workspaceId)) as UserId; // came from the database
  return requestVerification(services, address, { userId, recipient, requestId: 'request' });
}
