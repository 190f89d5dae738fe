import { sql } from 'kysely';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import { addDoNotContact } from '#src/outreach/do-not-contact.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { EmailServices } from '#src/email/email-services.ts';
import { emitEvents, sendDeliveries, type ToDeliver } from '#src/webhooks/emit-event.ts';
import { describeReturn } from './describe-return.ts';
import {
  findReturned,
  mayNameMessage,
  type ReportSource,
  type ReturnedMessage,
} from './find-returned.ts';
import type { ReportedReturn } from './reported-return.ts';

type ApplyServices = Pick<EmailServices, 'clock' | 'db' | 'log' | 'producer'>;

/**
 * The outcome of a report. `early`: its message is still being sent, so the report must be read again later. `ignored`:
 * it matches no message of ours that could have come back, or it was applied before.
 */
export type AppliedReturn = 'applied' | 'ignored' | 'early';

/**
 * Ends a message as `bounced` or `complained`, and lists its recipient as do-not-contact when the address is dead or
 * its owner complained. Repeating a report changes nothing.
 */
export async function applyReturn(
  services: ApplyServices,
  source: ReportSource,
  report: ReportedReturn,
): Promise<AppliedReturn> {
  if (!mayNameMessage(source, report)) return 'ignored';
  const at = services.clock();
  const { end, toDeliver } = await services.db.transaction().execute(async (trx) => {
    // The same lock order as an erasure, which also changes the list and the messages.
    await lockWorkspace(trx, source.workspaceId);
    const message = await findReturned(trx, source, report);
    const reach = message === null ? 'none' : reachOf(message, report);
    if (message === null || reach === 'none') return nothing('ignored');
    if (message.status === 'sending') return nothing('early');
    return endReturned(trx, { source, message, report, at, mayList: reach === 'recipient' });
  });
  await sendDeliveries(services, toDeliver);
  return end;
}

interface Applied {
  end: AppliedReturn;
  toDeliver: ToDeliver;
}

function nothing(end: AppliedReturn): Applied {
  return { end, toDeliver: [] };
}

/**
 * What a report is about. An address may forward to several mailboxes: when one of them is gone, the address itself
 * still works.
 */
function reachOf(
  { recipient }: ReturnedMessage,
  report: ReportedReturn,
): 'recipient' | 'message' | 'none' {
  // The message was erased, so no recipient is known.
  if (recipient === '') return 'none';
  if (report.kind === 'complained') return 'recipient';
  const own = recipient.toLowerCase();
  const { final, original } = report.recipient;
  if ((final ?? original) === own) return 'recipient';
  return original === own ? 'message' : 'none';
}

interface Ending {
  source: ReportSource;
  message: ReturnedMessage;
  report: ReportedReturn;
  at: Date;
  mayList: boolean;
}

async function endReturned(trx: DatabaseTransaction, ending: Ending): Promise<Applied> {
  const { source, message, report, at, mayList } = ending;
  const { workspaceId } = source;
  const isListed = mayList && (report.kind === 'complained' || report.isHard);
  const { kind, cause, statusCode } = report;
  const error = describeReturn({ cause, statusCode, isListed });
  const { rows } = await sql`
    update email_message set status = ${kind}, error_class = ${cause}, error = ${error}
    where id = ${message.id} and workspace_id = ${workspaceId} and status in ('sent', 'unknown')
    returning id`.execute(trx);
  // A complaint shows that the message did arrive, and that its recipient wants no other.
  const isLateComplaint = kind === 'complained' && message.status === 'bounced';
  if (rows.length === 0 && !isLateComplaint) return nothing('ignored');
  if (isListed) await listRecipient(trx, ending);
  if (rows.length === 0) return nothing('ignored');
  await trx
    .insertInto('email_return')
    .values({
      email_message_id: message.id,
      workspace_id: workspaceId,
      kind,
      cause,
      status_code: statusCode,
      is_listed: isListed,
    })
    .execute();
  const data = {
    email_message_id: message.id,
    email_account_id: message.email_account_id,
    cause,
    status_code: statusCode,
    do_not_contact: isListed,
  };
  const type = kind === 'bounced' ? 'email_message.bounced' : 'email_message.complained';
  return { end: 'applied', toDeliver: await emitEvents(trx, [{ type, data, workspaceId, at }]) };
}

/** Works even when the list is full. An entry that exists keeps its first reason. */
async function listRecipient(
  trx: DatabaseTransaction,
  { source, message, report: { kind, statusCode } }: Ending,
): Promise<void> {
  const value = message.recipient.toLowerCase();
  const note = statusCode === null ? '' : `A message came back with ${statusCode}.`;
  await addDoNotContact(trx, source.workspaceId, [{ kind: 'email', value }], {
    reason: kind,
    note,
  });
}
