import type { LimitPeriod } from './limit-period.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';

export interface SmtpSettings {
  host: string;
  port: number;
  user: string;
  password: string;
}

/** One message to one recipient. The addresses must already be validated, so that they cannot inject another one. */
export interface OutgoingMessage {
  from: { name: string; address: string };
  to: string;
  replyTo: string | null;
  subject: string;
  text: string;
  html: string | null;
  /** Including the angle brackets; the same on every attempt. */
  messageId: string;
  date: Date;
  /** Additional headers, such as `List-Unsubscribe`. */
  headers: Readonly<Record<string, string>>;
}

/** The outcome of a sending attempt. Never contains text from the server. */
export type SmtpOutcome =
  | { kind: 'sent' }
  /** The server rejected the message, or the content was never started: nothing was sent. */
  | {
      kind: 'failed';
      errorClass: SmtpErrorClass;
      isTemporary: boolean;
      /** The period of the sending limit, if the server says that one is reached. */
      limit: LimitPeriod | null;
      /** A sentence with the remedy, for the account's owner. */
      message: string;
    }
  /** The connection was lost after the content was started: the message may have been sent. */
  | { kind: 'unknown'; message: string };

/** Sends through servers that customers name: only to vetted addresses and submission ports, and always over TLS. */
export interface Mailer {
  /**
   * Takes at most 25 s. `beforeData` runs when the server has accepted the recipient and waits for the content; no
   * content is sent until it resolves, and none at all if it rejects.
   * @throws the signal's reason when it is aborted before the content is started
   */
  send(
    settings: SmtpSettings,
    message: OutgoingMessage,
    options: { beforeData: () => Promise<void>; signal: AbortSignal },
  ): Promise<SmtpOutcome>;
}
