import type { ColumnType, Generated } from 'kysely';
import type {
  BounceMailboxId,
  EmailAccountId,
  EmailMessageId,
  UserId,
  WorkspaceId,
} from '#src/ids.ts';
import type { LocalDate, Timestamp } from './column-types.ts';

interface EmailAccountTable {
  id: EmailAccountId;
  workspace_id: WorkspaceId;
  email: string;
  from_name: Generated<string>;
  smtp_host: string;
  smtp_port: number;
  smtp_user: string;
  /** Sealed for `email_account:<id>`. */
  smtp_password: string;
  /** Incremented by every change that a verification would have to prove. */
  settings_revision: Generated<number>;
  verified: Generated<boolean>;
  verified_at: Date | null;
  verification_token: string;
  /** From the last verification: `Deliverability` without its time. */
  deliverability: ColumnType<unknown, string | null | undefined, string | null>;
  deliverability_at: Date | null;
  is_default: Generated<boolean>;
  /** Messages per day; null for as many as the plan allows. */
  daily_limit: number | null;
  /** Sent on the day `sent_on`; 0 when that is not today. */
  daily_sent: Generated<number>;
  /** A day in `time_zone`. */
  sent_on: LocalDate | null;
  time_zone: Generated<string>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export const EMAIL_MESSAGE_STATUSES = [
  'queued',
  'sending',
  'sent',
  'failed',
  'unknown',
  'bounced',
  'complained',
] as const;

/**
 * `queued → sending → sent | failed | unknown`; back to `queued` for a temporary failure. A report about a message that
 * is `sent` or `unknown` makes it `bounced` or `complained`.
 */
export type EmailMessageStatus = (typeof EMAIL_MESSAGE_STATUSES)[number];

interface EmailMessageTable {
  id: EmailMessageId;
  workspace_id: WorkspaceId;
  email_account_id: EmailAccountId;
  user_id: UserId | null;
  kind: 'verification' | 'message';
  status: Generated<EmailMessageStatus>;
  recipient: string;
  /** Null in verifications, and once the message is finished. */
  subject: string | null;
  text_body: string | null;
  html_body: string | null;
  reply_to: string | null;
  idempotency_key: string | null;
  request_hash: string | null;
  /** The account's revision when the message was requested. */
  settings_revision: number;
  /** The account's day whose `daily_sent` includes this message; null once it was refunded. */
  counted_on: LocalDate | null;
  attempts: Generated<number>;
  claim_token: string | null;
  claimed_until: Date | null;
  /** The server has started to receive the content: from here on it may have been sent. */
  data_started_at: Date | null;
  next_attempt_at: Date | null;
  /** When it began to wait for its provider's sending limit. */
  limited_since: Date | null;
  /** When its turn is, if it has one. */
  turn_at: Date | null;
  queued_at: Timestamp;
  error_class: string | null;
  error: string | null;
  advice: ColumnType<string[], string | undefined, string>;
  request_id: string | null;
  created_at: Timestamp;
  finished_at: Date | null;
}

/** When an SMTP user may send its next message, in all workspaces. */
interface SmtpPaceTable {
  /** A hash: see `paceKeyOf`. */
  pace_key: string;
  next_send_at: Date;
  /** The end of the turns granted so far. */
  line_end_at: Date;
  /** Pauses in a row that the provider caused. */
  strikes: Generated<number>;
}

/** Messages of an SMTP user in one hour, for providers with a daily limit. */
interface SmtpPaceHourTable {
  pace_key: string;
  /** Start of the hour. */
  hour: Date;
  sent: number;
}

/** Why a message came back. */
export const RETURN_CAUSES = [
  'no_such_address',
  'mailbox_disabled',
  'mailbox_full',
  'too_large',
  'refused',
  'undelivered',
  'complaint',
] as const;

/** The first report about a message that counted. */
interface EmailReturnTable {
  email_message_id: EmailMessageId;
  workspace_id: WorkspaceId;
  kind: 'bounced' | 'complained';
  cause: (typeof RETURN_CAUSES)[number];
  status_code: string | null;
  /** Whether it put the recipient on the do-not-contact list, or found it there. */
  is_listed: boolean;
  reported_at: Timestamp;
}

/** A mailbox or webhook that receives reports of returned mail. */
interface BounceMailboxTable {
  id: BounceMailboxId;
  workspace_id: WorkspaceId;
  /** The only account whose messages come back here; null for all accounts of the workspace. */
  email_account_id: EmailAccountId | null;
  kind: 'imap' | 'pop3' | 'webhook';
  /** Null for a webhook, as are the other server fields. */
  host: string | null;
  port: number | null;
  use_tls: boolean | null;
  username: string | null;
  /** Sealed for `bounce_mailbox:<id>`. */
  password: string | null;
  folder: string | null;
  /** SHA-256 of the token in a webhook's URL, in hex. */
  token_hash: string | null;
  /** How far the mailbox was read; null before the first time. */
  cursor: ColumnType<unknown, string | null | undefined, string | null>;
  claim_token: string | null;
  claimed_until: Date | null;
  next_poll_at: Date | null;
  queued_at: Timestamp;
  /** Failed polls since the last good one. */
  failures: Generated<number>;
  error_class: string | null;
  error: string | null;
  last_polled_at: Date | null;
  /** Number of messages that its reports have ended. */
  returned_total: Generated<number>;
  last_returned_at: Date | null;
  created_at: Timestamp;
}

/** Sender accounts, messages, sending pace, and bounce mailboxes. */
export interface EmailTables {
  email_account: EmailAccountTable;
  email_message: EmailMessageTable;
  email_return: EmailReturnTable;
  bounce_mailbox: BounceMailboxTable;
  smtp_pace: SmtpPaceTable;
  smtp_pace_hour: SmtpPaceHourTable;
}
