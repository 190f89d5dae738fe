import { z } from 'zod';
import type { BounceMailboxRecord } from '#src/email/bounces/bounce-mailboxes.ts';
import { MAILBOX_ERROR_CLASSES } from '#src/email/bounces/mailbox-failure.ts';

/** Never includes the password or token. */
export const bounceMailboxSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['imap', 'pop3', 'webhook']),
    email_account_id: z.string().nullable(),
    host: z.string().nullable(),
    port: z.int().nullable(),
    use_tls: z.boolean().nullable(),
    username: z.string().nullable(),
    folder: z.string().nullable().describe('Null: the inbox.'),
    status: z
      .enum(['waiting', 'ok', 'failing'])
      .describe('waiting: nothing read or posted yet. failing: see error.'),
    error_class: z.enum(MAILBOX_ERROR_CLASSES).nullable(),
    error: z.string().nullable().describe('Why the last poll failed, and how to fix it.'),
    last_polled_at: z.iso.datetime().nullable(),
    next_poll_at: z.iso.datetime().nullable(),
    returned_total: z.int().describe('Number of messages ended by reports from here.'),
    last_returned_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'BounceMailbox' });

export function presentBounceMailbox(
  mailbox: BounceMailboxRecord,
): z.input<typeof bounceMailboxSchema> {
  const { last_polled_at: polled, next_poll_at: next, last_returned_at: returned } = mailbox;
  return {
    id: mailbox.id,
    kind: mailbox.kind,
    email_account_id: mailbox.email_account_id,
    host: mailbox.host,
    port: mailbox.port,
    use_tls: mailbox.use_tls,
    username: mailbox.username,
    folder: mailbox.folder,
    status: statusOf(mailbox),
    error_class: MAILBOX_ERROR_CLASSES.find((name) => name === mailbox.error_class) ?? null,
    error: mailbox.error,
    last_polled_at: polled?.toISOString() ?? null,
    next_poll_at: next?.toISOString() ?? null,
    returned_total: mailbox.returned_total,
    last_returned_at: returned?.toISOString() ?? null,
    created_at: mailbox.created_at.toISOString(),
  };
}

function statusOf({
  error,
  last_polled_at: polled,
  last_returned_at: returned,
}: BounceMailboxRecord) {
  if (error !== null) return 'failing';
  return polled === null && returned === null ? 'waiting' : 'ok';
}
