import { z } from 'zod';
import { Problem } from '#src/platform/errors.ts';
import { EMAIL_MESSAGE_STATUSES } from '#src/tables/email.ts';
import type { MessageRecord } from './messages.ts';

const status = z
  .enum(EMAIL_MESSAGE_STATUSES)
  .describe(
    'queued and sending: not finished. unknown: the connection was lost while the server had the message, so it may have been sent; it is not sent again. bounced: sent, then reported as undelivered. complained: sent, then reported as unwanted by its recipient.',
  );
const errorClass = z
  .string()
  .nullable()
  .describe('Machine-readable reason why it was not sent or came back.');

const returned = z
  .object({
    reported_at: z.iso.datetime(),
    status_code: z
      .string()
      .nullable()
      .describe('Enhanced status code (RFC 3463), such as 5.1.1; null when the report has none.'),
    do_not_contact: z
      .boolean()
      .describe('Whether it put the recipient on the do-not-contact list.'),
  })
  .nullable()
  .describe('The report about a bounced or complained message; otherwise null.');

export const verificationSchema = z
  .object({
    verified: z.boolean(),
    message: z.string(),
    verification_id: z.string(),
    status,
    error_class: errorClass,
    warnings: z
      .array(z.string())
      .describe('What could be better about the sender: SPF, DKIM, DMARC, its SMTP user.'),
    status_url: z.string(),
  })
  .meta({ id: 'EmailVerification' });

export const messageSchema = z
  .object({
    id: z.string(),
    email_account_id: z.string(),
    kind: z.enum(['message', 'verification']),
    status,
    to: z.string().describe('Empty when it was erased.'),
    error_class: errorClass,
    error: z
      .string()
      .nullable()
      .describe('Why the last attempt failed or the message came back, and what to do.'),
    attempts: z.int(),
    next_attempt_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    returned,
    status_url: z.string(),
  })
  .meta({ id: 'EmailMessage' });

export function presentVerification(message: MessageRecord): z.input<typeof verificationSchema> {
  return {
    verified: wasTaken(message) && message.is_current,
    message: sentenceOf(message),
    verification_id: message.id,
    status: message.status,
    error_class: message.error_class,
    warnings: message.advice,
    status_url: `/email-accounts/${message.email_account_id}/verifications/${message.id}`,
  };
}

export function presentMessage(message: MessageRecord): z.input<typeof messageSchema> {
  return {
    id: message.id,
    email_account_id: message.email_account_id,
    kind: message.kind,
    status: message.status,
    to: message.recipient,
    error_class: message.error_class,
    error: message.error,
    attempts: message.attempts,
    next_attempt_at: message.next_attempt_at?.toISOString() ?? null,
    created_at: message.created_at.toISOString(),
    finished_at: message.finished_at?.toISOString() ?? null,
    returned: presentReturn(message),
    status_url: `/email-messages/${message.id}`,
  };
}

/** Also for a message that came back: the account's server accepted it, which is what a verification tests. */
function wasTaken({ status: state }: MessageRecord): boolean {
  return state === 'sent' || state === 'bounced' || state === 'complained';
}

function presentReturn(message: MessageRecord): z.input<typeof returned> {
  const { returned_at: at, status_code, is_listed } = message;
  if (at === null) return null;
  return { reported_at: at.toISOString(), status_code, do_not_contact: is_listed ?? false };
}

/** @throws Problem BAD_GATEWAY for a message that was not sent, or whose outcome is unknown */
export function assertSent(message: MessageRecord): void {
  const { id, status: state, error } = message;
  const reason = error ?? 'No reason is known.';
  if (state === 'failed') {
    throw new Problem('BAD_GATEWAY', `The message ${id} was not sent. ${reason}`);
  }
  if (state === 'unknown') {
    throw new Problem('BAD_GATEWAY', `The message ${id} may have been sent. ${reason}`);
  }
}

function sentenceOf(message: MessageRecord): string {
  const { recipient, error, next_attempt_at: next } = message;
  switch (message.status) {
    case 'sent':
      return message.is_current
        ? `A test message was sent to ${recipient}. The account is ready to send.`
        : `A test message was sent to ${recipient}, but the settings of the account have changed since. Verify it again.`;
    case 'bounced':
    case 'complained':
      return `The server accepted the test message. ${error ?? ''}`.trim();
    case 'failed':
    case 'unknown':
      return error ?? 'The test message was not sent, and no reason is known.';
    case 'queued':
    case 'sending':
      return next === null || error === null
        ? 'The test message is being sent. status_url shows its progress.'
        : `${error} The next attempt is at ${next.toISOString()}; status_url shows its progress.`;
  }
}
