import { randomUUID } from 'node:crypto';
import { ImapFlow } from 'imapflow';

/** The mail servers started by `.ci/services peers`. */
export interface MailPeer {
  host: string;
  port: number;
  user: string;
  password: string;
  /** Other facts that a test needs. */
  more: URLSearchParams;
}

/** @param name of the variable, such as `TEST_IMAP_URL` */
export function mailPeer(name: string): MailPeer {
  const url = new URL(process.env[name] ?? '');
  return {
    host: url.hostname,
    port: Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    more: url.searchParams,
  };
}

/** A new mailbox account, and an IMAP client with which its owner reads it. */
export interface MailAccount extends AsyncDisposable {
  readonly settings: { host: string; port: number; use_tls: boolean };
  readonly credential: { imap_username: string; imap_password: string };
  readonly owner: ImapFlow;
  /** Adds a message; without a `Message-ID` when its id is null. */
  add(
    mailbox: string,
    message: { id: string | null; subject: string; body?: string },
  ): Promise<void>;
}

export async function openMailAccount(): Promise<MailAccount> {
  const { host, port, password } = mailPeer('TEST_IMAP_URL');
  const name = `${randomUUID()}@peer.example`;
  const owner = new ImapFlow({
    host,
    port,
    secure: true,
    auth: { user: name, pass: password },
    logger: false,
    disableAutoIdle: true,
  });
  await owner.connect();
  return {
    settings: { host, port, use_tls: true },
    credential: { imap_username: name, imap_password: password },
    owner,
    async add(mailbox, { id, subject, body = PLAIN_BODY }) {
      const lines = [
        'From: Ada Example <ada@peer.example>',
        `To: ${name}`,
        'Date: Mon, 04 May 2026 03:02:01 +0000',
        ...(id === null ? [] : [`Message-ID: <${id}>`]),
        `Subject: ${subject}`,
        'MIME-Version: 1.0',
        body,
      ];
      await owner.append(mailbox, lines.join('\r\n'));
    },
    [Symbol.asyncDispose]: () => owner.logout(),
  };
}

const PLAIN_BODY = 'Content-Type: text/plain; charset=utf-8\r\n\r\nGood day.\r\n';
