import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { BounceMailboxId, EmailAccountId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem, RetryLater } from '#src/platform/errors.ts';
import { OutboundError } from '#src/platform/outbound.ts';
import { applyReturn } from './apply-return.ts';
import { countReturned } from './bounce-mailboxes.ts';
import type { BounceServices } from './bounce-services.ts';
import type { ReportSource } from './find-returned.ts';
import { EARLY_REPORT_MS } from './poll-schedule.ts';
import { readPosted } from './provider-events.ts';
import type { ReportedReturn } from './reported-return.ts';

type ReceiveServices = Pick<
  BounceServices,
  'clock' | 'db' | 'http' | 'log' | 'producer' | 'reportReader'
>;

/** How many reports ended a message, and how many had no effect. */
export interface Received {
  returned: number;
  ignored: number;
}

export interface WebhookMailbox {
  id: BounceMailboxId;
  workspace_id: WorkspaceId;
  email_account_id: EmailAccountId | null;
}

/**
 * Finds the bounce mailbox with this token in its URL.
 * @throws Problem NOT_FOUND
 */
export async function findWebhook(db: Database, token: string): Promise<WebhookMailbox> {
  const { rows } = await sql<WebhookMailbox>`
    select id, workspace_id, email_account_id from bounce_mailbox
    where token_hash = ${hashReportToken(token)}`.execute(db);
  const [found] = rows;
  if (found) return found;
  throw new Problem(
    'NOT_FOUND',
    'There is no bounce mailbox with this URL. POST /bounce-mailboxes with the kind webhook creates one and shows its URL once.',
  );
}

/** A fast hash suffices for a long random token. */
export function hashReportToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Applies a provider's post: its events, or a message as received. Repeating a post changes nothing.
 * @throws Problem BAD_REQUEST for an unknown format; RetryLater when a report arrived before its message was recorded
 * as sent
 */
export async function receiveReports(
  services: ReceiveServices,
  mailbox: WebhookMailbox,
  { mediaType, bytes, signal }: { mediaType: string; bytes: Uint8Array; signal: AbortSignal },
): Promise<Received> {
  const { workspace_id: workspaceId, email_account_id: emailAccountId } = mailbox;
  const source = { workspaceId, emailAccountId };
  if (mediaType === 'message/rfc822') {
    // Anyone can write to the address from which the provider forwards mail.
    const reports = await services.reportReader.read(bytes, {
      owner: workspaceId,
      signal,
    });
    return applyAll(services, mailbox, { ...source, isTrusted: false }, reports);
  }
  const posted = readPosted(bytes);
  if ('confirmUrl' in posted) {
    await confirm(services, posted.confirmUrl, signal);
    return { returned: 0, ignored: 0 };
  }
  return applyAll(services, mailbox, { ...source, isTrusted: true }, posted.returns);
}

async function applyAll(
  services: ReceiveServices,
  { id }: WebhookMailbox,
  source: ReportSource,
  reports: readonly ReportedReturn[],
): Promise<Received> {
  const ends: string[] = [];
  for (const report of reports) ends.push(await applyReturn(services, source, report));
  const returned = ends.filter((end) => end === 'applied').length;
  await countReturned(services.db, id, returned);
  if (ends.includes('early')) {
    throw new RetryLater(
      EARLY_REPORT_MS,
      'One of these messages is still being sent. Post the reports again in a minute; those already applied are skipped.',
    );
  }
  return { returned, ignored: ends.length - returned };
}

/** Only Amazon's servers: the URL comes from outside. */
const CONFIRM_HOST = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?$/;
const CONFIRM_MS = 10_000;
const CONFIRM_BYTES = 64 * 1024;

/** https://docs.aws.amazon.com/sns/latest/dg/SendMessageToHttp.prepare.html */
async function confirm(
  { http }: ReceiveServices,
  confirmUrl: string,
  signal: AbortSignal,
): Promise<void> {
  const url = URL.parse(confirmUrl);
  if (url?.protocol !== 'https:' || url.port !== '' || !CONFIRM_HOST.test(url.hostname)) {
    throw new Problem('BAD_REQUEST', 'SubscribeURL: must be a URL of Amazon SNS.');
  }
  try {
    const { status } = await http.send({
      url: url.href,
      signal,
      timeoutMs: CONFIRM_MS,
      maxBytes: CONFIRM_BYTES,
      maxRedirects: 0,
    });
    if (status === 200) return;
    throw new Problem('BAD_GATEWAY', `Amazon SNS answered the confirmation with ${status}.`);
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    throw new Problem(
      'BAD_GATEWAY',
      'Amazon SNS could not be reached to confirm the subscription.',
      { cause },
    );
  }
}
