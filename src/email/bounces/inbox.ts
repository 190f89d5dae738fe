/** A mailbox and how to sign in to it. */
export interface InboxSettings {
  kind: 'imap' | 'pop3';
  host: string;
  port: number;
  useTls: boolean;
  username: string;
  password: string;
  /** IMAP only; null for the inbox. */
  folder: string | null;
}

export interface InboxHeader {
  position: number;
  /** The fields that distinguish reports from other mail. */
  header: string;
}

/**
 * A read-only mailbox. Positions grow with the time of arrival. Throws only a `MailboxFailure` or the signal's reason.
 */
export interface Inbox extends AsyncDisposable {
  /** The messages that arrived after a place, oldest first. Pass null for a mailbox that was never read. */
  newMail(place: unknown): Promise<number[]>;
  /** Omits messages that are gone by now. */
  headers(positions: readonly number[]): Promise<InboxHeader[]>;
  /** The message up to `maxBytes`; null when it is gone by now, or the server refuses it. */
  source(position: number, maxBytes: number): Promise<Uint8Array | null>;
  /** The place after the message at this position, or after all for null. JSON, to be passed to `newMail`. */
  placeAfter(position: number | null): unknown;
  /** Identifies a message across sessions. */
  keyOf(position: number): string;
}

/** Opens mailboxes on customers' servers. */
export interface Inboxes {
  /** @throws MailboxFailure, or the signal's reason */
  open(settings: InboxSettings, signal: AbortSignal): Promise<Inbox>;
}

/** Standard ports, with TLS from the start and with STARTTLS. */
const PORTS = { imap: { tls: 993, starttls: 143 }, pop3: { tls: 995, starttls: 110 } } as const;

export function defaultPort(kind: InboxSettings['kind'], useTls: boolean): number {
  return useTls ? PORTS[kind].tls : PORTS[kind].starttls;
}

/** The default of `useTls` for a port: every port but that of STARTTLS expects TLS from the start. */
export function defaultUseTls(kind: InboxSettings['kind'], port: number): boolean {
  return port !== PORTS[kind].starttls;
}

/** Other ports are allowed only at hosts that the operator has opened. */
export function isMailboxPort(kind: InboxSettings['kind'], port: number): boolean {
  return port === PORTS[kind].tls || port === PORTS[kind].starttls;
}
