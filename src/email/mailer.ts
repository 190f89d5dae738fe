import type { SmtpErrorClass } from './smtp-error-classes.ts';

export interface SmtpSettings {
  host: string;
  port: number;
  user: string;
  password: string;
}

/** One message to one recipient. Addresses are parsed before: nothing in them can begin another. */
export interface OutgoingMessage {
  from: { name: string; address: string };
  to: string;
  replyTo: string | null;
  subject: string;
  text: string;
  html: string | null;
  /** With its angle brackets; the same on every attempt. */
  messageId: string;
  date: Date;
  /** Further headers, such as `List-Unsubscribe`. */
  headers: Readonly<Record<string, string>>;
}

/** How an attempt to send ended. What a server said never appears in it. */
export type SmtpOutcome =
  | { kind: 'sent' }
  /** The server has refused, or the content was never begun: nothing was sent. */
  | {
      kind: 'failed';
      errorClass: SmtpErrorClass;
      isTemporary: boolean;
      /** A sentence with the remedy, for the account's owner. */
      message: string;
    }
  /** The connection was lost while the server had the content: it may have been sent. */
  | { kind: 'unknown'; message: string };

/** Sends through servers that customers name: vetted addresses, ports of submission, TLS always. */
export interface Mailer {
  /**
   * Never takes longer than 25 s. `beforeData` runs when the server has taken the recipient and waits for the content;
   * not a byte of it is sent before it has resolved, and when it rejects nothing is sent.
   * @throws the signal's reason when it is aborted before the content is begun
   */
  send(
    settings: SmtpSettings,
    message: OutgoingMessage,
    options: { beforeData: () => Promise<void>; signal: AbortSignal },
  ): Promise<SmtpOutcome>;
}
