import type { ColumnType, Generated } from 'kysely';
import type { EmailAccountId, EmailMessageId, UserId, WorkspaceId } from '#src/ids.ts';
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

export const EMAIL_MESSAGE_STATUSES = ['queued', 'sending', 'sent', 'failed', 'unknown'] as const;

/** `queued → sending → sent | failed | unknown`; back to `queued` for a temporary failure. */
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
  queued_at: Timestamp;
  error_class: string | null;
  error: string | null;
  advice: ColumnType<string[], string | undefined, string>;
  request_id: string | null;
  created_at: Timestamp;
  finished_at: Date | null;
}

/** Sender accounts and messages. */
export interface EmailTables {
  email_account: EmailAccountTable;
  email_message: EmailMessageTable;
}
