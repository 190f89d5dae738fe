import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { startDeadline, untilAborted } from '#src/platform/deadline.ts';
import type { OutboundGuard } from '#src/platform/outbound.ts';
import type { OutboundReach } from '#src/platform/outbound-guard.ts';
import { dial } from '#src/email/dial.ts';
import { asciiHost } from '#src/email/smtp-address.ts';
import { MailboxFailure } from './mailbox-failure.ts';
import { readLines } from './pop3-lines.ts';

const CONNECT_MS = 10_000;
/** Deadline of a command and its whole response. */
const COMMAND_MS = 30_000;
const MAX_SAID = 500;

export interface Pop3Server {
  host: string;
  port: number;
  /** False for STLS (RFC 2595 section 4). */
  useTls: boolean;
}

export interface Pop3Circumstances {
  guard: OutboundGuard;
  reach: OutboundReach;
  signal: AbortSignal;
  /** PEM certificates to trust instead of the usual authorities; for tests. */
  ca?: string;
}

/** An encrypted connection, after the server's greeting. */
export interface Pop3Connection {
  /**
   * Sends a command (null: only reads the greeting) and reads the response: one line, or a block when limits are given.
   * @returns null when the server refuses
   */
  ask(
    command: string | null,
    block?: { keepBytes: number; maxBytes: number },
  ): Promise<Buffer[] | null>;
  /** The server's last status line. */
  readonly said: string;
  close(): void;
}

/**
 * Connects to an address that the guard allows, and to no other, and encrypts the connection.
 * @throws MailboxFailure, or the signal's reason
 */
export async function connectPop3(
  settings: Pop3Server,
  circumstances: Pop3Circumstances,
): Promise<Pop3Connection> {
  const { host, useTls } = settings;
  const { signal } = circumstances;
  const { socket, address } = await dialServer(settings, circumstances);
  const place = { host, address };
  if (useTls) {
    const connection = converse(await secure(socket, place, circumstances), signal);
    await greet(connection);
    return connection;
  }
  const plain = converse(socket, signal);
  await greet(plain);
  if ((await plain.ask('STLS')) === null) {
    plain.close();
    throw new MailboxFailure('starttls_unavailable');
  }
  plain.release();
  return converse(await secure(socket, place, circumstances), signal);
}

async function greet(connection: Pop3Connection): Promise<void> {
  if ((await connection.ask(null)) !== null) return;
  connection.close();
  throw new MailboxFailure('server_busy');
}

async function dialServer(
  { host, port }: Pop3Server,
  circumstances: Pop3Circumstances,
): Promise<{ socket: Socket; address: string }> {
  const addresses = await vettedAddresses(host, circumstances);
  const { signal } = circumstances;
  try {
    return await dial(addresses, port, { timeoutMs: CONNECT_MS, signal });
  } catch (cause) {
    signal.throwIfAborted();
    const isLate = codeOf(cause) === 'ETIMEDOUT';
    throw new MailboxFailure(isLate ? 'timeout' : 'connection_failed', { cause });
  }
}

async function vettedAddresses(
  host: string,
  { guard, reach, signal }: Pop3Circumstances,
): Promise<string[]> {
  using deadline = startDeadline(signal, CONNECT_MS);
  try {
    const addresses = await untilAborted(guard.addressesOf(host, reach), deadline.signal);
    return addresses.map(({ address }) => address);
  } catch (cause) {
    signal.throwIfAborted();
    // Unknown, private and forbidden names must look the same from outside.
    throw new MailboxFailure('dns_error', { cause });
  }
}

async function secure(
  socket: Socket,
  { host, address }: { host: string; address: string },
  { ca, signal }: Pop3Circumstances,
): Promise<Socket> {
  using deadline = startDeadline(signal, CONNECT_MS);
  const name = isIP(host) === 0 ? asciiHost(host) : address;
  const wrapped = connectTls({
    socket,
    host: name,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(isIP(name) === 0 && { servername: name }),
    ...(ca !== undefined && { ca }),
  });
  const ready = Promise.withResolvers<void>();
  wrapped.once('secureConnect', () => ready.resolve());
  wrapped.on('error', (error) => ready.reject(error));
  wrapped.once('close', () => ready.reject(new MailboxFailure('connection_failed')));
  try {
    await untilAborted(ready.promise, deadline.signal);
    return wrapped;
  } catch (cause) {
    wrapped.destroy();
    signal.throwIfAborted();
    if (cause instanceof MailboxFailure) throw cause;
    if (deadline.expired) throw new MailboxFailure('timeout', { cause });
    throw new MailboxFailure(isPlainAnswer(cause) ? 'tls_mode_mismatch' : tlsClass(cause), {
      cause,
    });
  }
}

/** OpenSSL's errors for a response that is not TLS. */
function isPlainAnswer(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';
}

function tlsClass(error: unknown): 'tls_failed' | 'connection_failed' {
  return /^(?:ECONN|EPIPE|ETIMEDOUT)/.test(codeOf(error)) ? 'connection_failed' : 'tls_failed';
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}

function converse(socket: Socket, signal: AbortSignal): Pop3Connection & { release(): void } {
  const lines = readLines(socket, signal);
  let said = '';
  const answer = async (): Promise<boolean> => {
    const line = (await lines.line()).toString('latin1');
    said = line.slice(0, MAX_SAID);
    if (/^\+OK\b/.test(line)) return true;
    if (/^-ERR\b/.test(line)) return false;
    throw new MailboxFailure('unsupported_server');
  };
  return {
    get said() {
      return said;
    },
    async ask(command, block) {
      using deadline = startDeadline(signal, COMMAND_MS, () => new MailboxFailure('timeout'));
      if (command !== null) socket.write(`${command}\r\n`);
      const work = async (): Promise<Buffer[] | null> => {
        if (!(await answer())) return null;
        return block ? lines.block(block) : [];
      };
      try {
        return await untilAborted(work(), deadline.signal);
      } catch (error) {
        // What remains of the response would be read as that of the next command.
        socket.destroy();
        throw error;
      }
    },
    release() {
      const isEarly = lines.hasMore;
      lines.release();
      // Data that arrived before the handshake may be injected, and would be read as a response over TLS.
      if (!isEarly) return;
      socket.destroy();
      throw new MailboxFailure('unsupported_server');
    },
    close: () => socket.destroy(),
  };
}
