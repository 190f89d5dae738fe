import { soundsTemporary } from '#src/platform/imap-failure.ts';
import { MailboxFailure } from './mailbox-failure.ts';
import {
  connectPop3,
  type Pop3Circumstances,
  type Pop3Connection,
  type Pop3Server,
} from './pop3-connection.ts';

/** Enough for 100,000 messages with ids of the maximum length. */
const MAX_LISTING_BYTES = 8 * 1024 * 1024;
/** A server that ignores the line limit of TOP may send this much before the connection is closed. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** RFC 1939 section 7: up to 70 printable characters. Some servers write longer ones. */
const LISTED = /^(\d{1,9}) +(\S{1,200})$/;
const CRLF = Buffer.from('\r\n');

export interface Pop3Settings extends Pop3Server {
  username: string;
  password: string;
}

/** A signed-in connection. Throws only a `MailboxFailure` or the signal's reason. */
export interface Pop3Session extends AsyncDisposable {
  /** The unique id of each message by its number in this session. */
  ids(): Promise<Map<number, string>>;
  /** The headers of a message and the first `lines` of its body, cut at `keepBytes`; null when the server refuses. */
  top(message: number, lines: number, keepBytes: number): Promise<Buffer | null>;
}

/**
 * Signs in over TLS. The session deletes nothing.
 * https://www.rfc-editor.org/rfc/rfc1939
 */
export async function openPop3Session(
  settings: Pop3Settings,
  circumstances: Pop3Circumstances,
): Promise<Pop3Session> {
  const { signal } = circumstances;
  const connection = await connectPop3(settings, circumstances);
  try {
    await signIn(connection, settings);
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    async ids() {
      const limits = { keepBytes: MAX_LISTING_BYTES, maxBytes: MAX_LISTING_BYTES };
      const lines = await connection.ask('UIDL', limits);
      if (lines === null) throw new MailboxFailure('unsupported_server');
      const ids = new Map<number, string>();
      for (const line of lines) {
        const [, number, id] = LISTED.exec(line.toString('latin1')) ?? [];
        if (number !== undefined && id !== undefined) ids.set(Number(number), id);
      }
      return ids;
    },
    async top(message, lines, keepBytes) {
      const limits = { keepBytes, maxBytes: MAX_MESSAGE_BYTES };
      const found = await connection.ask(`TOP ${message} ${lines}`, limits);
      return found && Buffer.concat(found.flatMap((line) => [line, CRLF]));
    },
    async [Symbol.asyncDispose]() {
      if (!signal.aborted) await connection.ask('QUIT').catch(() => undefined);
      connection.close();
    },
  };
}

/** Temporary failures (RFC 2449, RFC 3206): the mailbox is in use, or the server is in trouble. */
const TEMPORARY = /\[(?:IN-USE|LOGIN-DELAY|SYS\/TEMP)\]/i;

async function signIn(
  connection: Pop3Connection,
  { username, password }: Pop3Settings,
): Promise<void> {
  for (const command of [`USER ${username}`, `PASS ${password}`]) {
    if ((await connection.ask(command)) !== null) continue;
    const { said } = connection;
    const isTemporary = TEMPORARY.test(said) || soundsTemporary(said);
    throw new MailboxFailure(isTemporary ? 'server_busy' : 'auth_failed');
  }
}
