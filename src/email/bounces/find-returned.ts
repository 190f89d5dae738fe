import { sql } from 'kysely';
import type { EmailAccountId, EmailMessageId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { isUuid } from '#src/platform/is-uuid.ts';
import { senderDomainMessageId } from '#src/email/sender-message.ts';
import type { EmailMessageStatus } from '#src/tables/email.ts';
import type { ReportedReturn } from './reported-return.ts';

/** Where reports come from. */
export interface ReportSource {
  workspaceId: WorkspaceId;
  /** Null for all accounts of the workspace. */
  emailAccountId: EmailAccountId | null;
  /**
   * Anyone can send mail to a mailbox, so its reports count only if they name the id of a message. Posts with the
   * secret of a webhook come from the provider.
   */
  isTrusted: boolean;
}

export interface ReturnedMessage {
  id: EmailMessageId;
  email_account_id: EmailAccountId;
  status: EmailMessageStatus;
  /** Empty when erased. */
  recipient: string;
  /** The address of the account. */
  sender: string;
}

/**
 * Finds and locks the message that a report is about. Message ids are random and known only to those who handled the
 * message, so a report that names one is genuine.
 */
export async function findReturned(
  trx: DatabaseTransaction,
  source: ReportSource,
  report: ReportedReturn,
): Promise<ReturnedMessage | null> {
  const ids = namedIds(report);
  const rows = ids.length === 0 ? [] : await readMessages(trx, source, ids);
  const found = rows.find((message) => isNamed(message, report));
  if (found || !source.isTrusted) return found ?? null;
  const recipient = report.recipient.final;
  const names = report.messageIds.length > 0 || report.envelopeId !== null;
  return recipient === null || names ? null : findOnlyOne(trx, source, recipient);
}

/** False for reports that are certainly not about our mail; they need no query. */
export function mayNameMessage({ isTrusted }: ReportSource, report: ReportedReturn): boolean {
  return isTrusted || namedIds(report).length > 0;
}

/** Our ids are `<uuid>@<domain of the sender>`, and the uuid alone in the envelope. */
function namedIds({ messageIds, envelopeId }: ReportedReturn): string[] {
  const named = [...messageIds.map((id) => id.split('@')[0] ?? ''), envelopeId ?? ''];
  return [...new Set(named.map((id) => id.toLowerCase()).filter(isUuid))];
}

function isNamed({ id, sender }: ReturnedMessage, { messageIds, envelopeId }: ReportedReturn) {
  const own = senderDomainMessageId(id, sender).toLowerCase();
  return (
    envelopeId?.toLowerCase() === id ||
    messageIds.some((messageId) => `<${messageId}>`.toLowerCase() === own)
  );
}

async function readMessages(
  trx: DatabaseTransaction,
  { workspaceId, emailAccountId }: ReportSource,
  ids: readonly string[],
): Promise<ReturnedMessage[]> {
  const { rows } = await sql<ReturnedMessage>`
    select m.id, m.email_account_id, m.status, m.recipient, a.email as sender
    from email_message m join email_account a on a.id = m.email_account_id
    where m.workspace_id = ${workspaceId} and m.id = any(${ids}::uuid[])
      and (${emailAccountId}::uuid is null or m.email_account_id = ${emailAccountId}::uuid)
    for update of m`.execute(trx);
  return rows;
}

/**
 * Providers that replace the message id report the recipient alone. The report counts only if exactly one message
 * matches.
 */
async function findOnlyOne(
  trx: DatabaseTransaction,
  { workspaceId, emailAccountId }: ReportSource,
  recipient: string,
): Promise<ReturnedMessage | null> {
  const { rows } = await sql<ReturnedMessage>`
    select m.id, m.email_account_id, m.status, m.recipient, a.email as sender
    from email_message m join email_account a on a.id = m.email_account_id
    where m.workspace_id = ${workspaceId} and lower(m.recipient) = ${recipient}
      and (${emailAccountId}::uuid is null or m.email_account_id = ${emailAccountId}::uuid)
      and m.status in ('sent', 'unknown')
      and m.finished_at > now() - make_interval(days => ${MATCHED_DAYS})
    limit 2 for update of m`.execute(trx);
  const [only] = rows;
  return rows.length === 1 && only ? only : null;
}

/** Servers retry for about five days (RFC 5321 section 4.5.4.1). */
const MATCHED_DAYS = 7;
