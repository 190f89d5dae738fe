/** Why a bounce mailbox could not be read; callers may branch on it. */
export const MAILBOX_ERROR_CLASSES = [
  /** The name does not resolve to an allowed address. Unknown, private and blocked names deliberately look the same. */
  'dns_error',
  'port_not_allowed',
  'connection_failed',
  'timeout',
  'tls_mode_mismatch',
  'tls_failed',
  'starttls_unavailable',
  'auth_failed',
  'folder_missing',
  'unsupported_server',
  'server_busy',
  'password_unreadable',
] as const;
export type MailboxErrorClass = (typeof MAILBOX_ERROR_CLASSES)[number];

/** A mailbox that could not be read. Never contains text from the server. */
export class MailboxFailure extends Error {
  override readonly name = 'MailboxFailure';
  readonly errorClass: MailboxErrorClass;

  constructor(errorClass: MailboxErrorClass, options: { cause?: unknown } = {}) {
    super(`The mailbox cannot be read: ${errorClass}.`, options);
    this.errorClass = errorClass;
  }
}

interface Place {
  kind: 'imap' | 'pop3';
  host: string;
  port: number;
  folder: string | null;
}

/** What is wrong and how to fix it, for the owner of the mailbox. */
export function describeMailboxFailure(errorClass: MailboxErrorClass, place: Place): string {
  const { kind, host, port, folder } = place;
  const [tls, starttls] = kind === 'imap' ? [993, 143] : [995, 110];
  switch (errorClass) {
    case 'dns_error':
      return `${host} does not resolve to a mail server that can be reached from here. Check the name of the ${kind.toUpperCase()} server.`;
    case 'port_not_allowed':
      return `No mail is read through port ${port}. Use ${tls} (TLS from the start) or ${starttls} (STARTTLS).`;
    case 'connection_failed':
      return `No connection to ${host}, port ${port}, could be established or kept. Check the host and the port.`;
    case 'timeout':
      return `${host} did not answer in time at port ${port}. Check the host and the port, and use_tls: ${tls} expects TLS from the start, ${starttls} STARTTLS.`;
    case 'tls_mode_mismatch':
      return `${host} does not speak TLS from the start at port ${port}. Set use_tls to false, or use port ${tls}.`;
    case 'tls_failed':
      return `No secure connection to ${host} could be established. The server needs TLS 1.2 or newer and a valid certificate of a public authority for this name.`;
    case 'starttls_unavailable':
      return `${host} offers no STARTTLS at port ${port}, and no password is sent without it. Use port ${tls} with use_tls.`;
    case 'auth_failed':
      return `${host} did not accept the user name and password. Check both; most providers want an app password here, and ${kind.toUpperCase()} may have to be turned on.`;
    case 'folder_missing':
      return `${host} has no folder ${JSON.stringify(folder ?? 'INBOX')} that can be opened. Check the full name of the folder.`;
    case 'unsupported_server':
      return `${host} does not support the ${kind.toUpperCase()} commands that are needed. Check the host and the port, or use ${kind === 'pop3' ? 'IMAP' : 'POP3'}.`;
    case 'server_busy':
      return `${host} cannot serve the mailbox at the moment. The next attempt follows automatically.`;
    case 'password_unreadable':
      return 'The stored password cannot be decrypted with the keys of this service. Enter it again.';
  }
}
