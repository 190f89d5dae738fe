import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import wellKnown from 'nodemailer/lib/well-known';
import { startDeadline, untilAborted } from '#src/platform/deadline.ts';
import type { OutboundGuard } from '#src/platform/outbound.ts';
import type { OutboundReach } from '#src/platform/outbound-guard.ts';
import { classifyReply } from './classify-reply.ts';
import {
  type ClassifiedFailure,
  isNegativeReply,
  refusedHere,
  smtpFailureOf,
} from './smtp-failure.ts';
import { describeFailure, describeUnknown } from './describe-failure.ts';
import { dial } from './dial.ts';
import { type HeldContent, holdContent } from './hold-content.ts';
import type { Mailer, OutgoingMessage, SmtpOutcome, SmtpSettings } from './mailer.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';
import { offersPassword } from './offers-password.ts';
import { asciiDomain, asciiHost, isPlainAddress } from './smtp-address.ts';
import { isImplicitTls, isPortClosed, reachOfPort } from './smtp-port.ts';

/** Time limits for a server, in ms. */
export interface SmtpTimeouts {
  /** For the name lookup, and again for the connection to any of the addresses. */
  connectMs: number;
  /** For the greeting, and for each TLS handshake. */
  greetingMs: number;
  /** For the whole exchange. */
  exchangeMs: number;
}

const TIMEOUTS: SmtpTimeouts = { connectMs: 8_000, greetingMs: 8_000, exchangeMs: 25_000 };
/** A longer reply is not a valid one. */
const MAX_REPLY_BYTES = 64 * 1024;
/** For everything a server sends, including certificates: many times more than the longest exchange needs. */
const MAX_RECEIVED_BYTES = 256 * 1024;
const RECEIVED_CHECK_MS = 10;
/** Wait after QUIT. */
const GOODBYE_MS = 2_000;
/** RFC 5321 §4.1.3: a client without a host name gives an address literal. The machine's real name stays private. */
const CLIENT_NAME = '[127.0.0.1]';

interface MailerOptions {
  guard: OutboundGuard;
  /** Port 25 is for mail exchangers; an operator may allow it for relays that offer nothing else. */
  allowPort25: boolean;
  /** PEM certificates to trust instead of the usual authorities; for tests. */
  ca?: string;
  timeouts?: Partial<SmtpTimeouts>;
}

/** All SMTP connections are made here. */
export function createMailer(options: MailerOptions): Mailer {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  return {
    async send(settings, message, { beforeData, signal }) {
      signal.throwIfAborted();
      const failed = (failure: ClassifiedFailure): SmtpOutcome => {
        const place = { ...settings, email: message.from.address };
        const text = describeFailure(failure.errorClass, place, failure.limit);
        return { kind: 'failed', ...failure, message: text };
      };
      using deadline = startDeadline(signal, timeouts.exchangeMs);
      const refusal = addressRefusal(message);
      if (refusal !== null) return failed(refusedHere(refusal));
      const held = holdContent(await composeMessage(message), beforeData);
      const circumstances = {
        ...options,
        reach: reachOfPort(settings.port, options),
        timeouts,
        signal: deadline.signal,
      };
      try {
        if (await isPortClosed(settings, circumstances)) {
          return failed(refusedHere('port_not_allowed'));
        }
        await converse(settings, message, held, circumstances);
        return { kind: 'sent' };
      } catch (error) {
        await untilAborted(held.withhold(), deadline.signal).catch(() => undefined);
        const failure = smtpFailureOf(deadline.expired ? { code: 'ETIMEDOUT' } : error);
        const isBegun = held.state === 'begun' || held.state === 'finished';
        if (held.refusal !== null) throw held.refusal.reason;
        if (isBegun && !isNegativeReply(failure)) {
          return { kind: 'unknown', message: describeUnknown(settings) };
        }
        if (!isBegun) signal.throwIfAborted();
        return failed(classifyReply(failure, settings.port));
      }
    },
  };
}

/** Rejections that need no server. */
function addressRefusal(message: OutgoingMessage): SmtpErrorClass | null {
  if (!isPlainAddress(message.from.address)) return 'sender_rejected';
  return isPlainAddress(message.to) ? null : 'recipient_rejected';
}

/** Builds the message according to RFC 5322. Line breaks in headers become spaces. */
async function composeMessage(message: OutgoingMessage): Promise<Buffer> {
  for (const name of Object.keys(message.headers)) {
    if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(name)) {
      throw new Error(`${JSON.stringify(name)} is not a header name.`);
    }
  }
  const composer = new MailComposer({
    from: { name: oneLine(message.from.name), address: message.from.address },
    to: { name: '', address: message.to },
    ...(message.replyTo !== null && { replyTo: { name: '', address: message.replyTo } }),
    subject: oneLine(message.subject),
    text: message.text,
    ...(message.html !== null && { html: message.html }),
    messageId: oneLine(message.messageId),
    date: message.date,
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, oneLine(value)]),
    ),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}

interface Circumstances extends MailerOptions {
  /** Hosts opened by the operator may be reached on every port, other hosts only on submission ports. */
  reach: OutboundReach;
  timeouts: SmtpTimeouts;
  signal: AbortSignal;
}

/**
 * Resolves when the server has accepted the message.
 * @throws the error of nodemailer or Node, or the signal's reason
 */
async function converse(
  settings: SmtpSettings,
  message: OutgoingMessage,
  held: HeldContent,
  circumstances: Circumstances,
): Promise<void> {
  const { timeouts, signal } = circumstances;
  const addresses = await vettedAddresses(settings.host, circumstances);
  const limits = { timeoutMs: timeouts.connectMs, signal };
  const { socket, address } = await dial(addresses, settings.port, limits);
  const connection = openConnection(socket, address, settings, circumstances);
  using line = watchLine(connection, socket, signal);
  try {
    await line.step((done) => connection.connect(done));
    if (!offersPassword(connection.lastServerResponse)) {
      throw Object.assign(new Error('The server offers no sign-in.'), { code: 'ENOAUTH' });
    }
    const credentials = { user: settings.user, pass: settings.password };
    await line.step((done) => connection.login(credentials, done));
    const envelope = {
      from: asciiDomain(message.from.address),
      to: [asciiDomain(message.to)],
      size: held.size,
    };
    // nodemailer starts the content after any 2yz or 3yz reply, but only 354 allows it (RFC 5321 §3.3).
    const content = held.streamFor(() => (connection.lastServerResponse || '').startsWith('354'));
    const sent = line.step((done) => connection.send(envelope, content, done));
    await Promise.race([sent, held.refused]);
    // A positive reply before all content was sent cannot refer to it.
    if (held.state !== 'finished') {
      throw Object.assign(new Error('The server replied out of turn.'), { code: 'EPROTOCOL' });
    }
  } finally {
    const isInContent = held.state === 'asked' || held.state === 'begun';
    hangUp(connection, socket, !isInContent && !signal.aborted && !line.isBroken);
  }
}

async function vettedAddresses(
  host: string,
  { guard, reach, timeouts, signal }: Circumstances,
): Promise<string[]> {
  using deadline = startDeadline(signal, timeouts.connectMs);
  try {
    const addresses = await untilAborted(guard.addressesOf(host, reach), deadline.signal);
    return addresses.map(({ address }) => address);
  } catch (error) {
    signal.throwIfAborted();
    // Unknown, private and forbidden names must look the same from outside; only a name server failure is reported as
    // such.
    const isTemporary = deadline.expired || smtpFailureOf(error).code === 'EAI_AGAIN';
    throw Object.assign(new Error('The host may not be reached.', { cause: error }), {
      code: 'EDNS',
      originalCode: isTemporary ? 'EAI_AGAIN' : '',
    });
  }
}

function openConnection(
  socket: Socket,
  address: string,
  settings: SmtpSettings,
  { ca, timeouts }: Circumstances,
): SMTPConnection {
  const isImplicit = isImplicitTls(settings.port);
  const name = isIP(settings.host) === 0 ? asciiHost(settings.host) : address;
  return new SMTPConnection({
    connection: socket,
    host: address,
    port: settings.port,
    name: CLIENT_NAME,
    secure: isImplicit,
    requireTLS: !isImplicit,
    connectionTimeout: timeouts.exchangeMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.exchangeMs,
    socketCloseTimeout: 0,
    maxResponseSize: MAX_REPLY_BYTES,
    logger: false,
    tls: {
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      // Without a host name, the certificate must cover the address.
      ...(isIP(name) === 0 && { servername: name }),
      ...(ca !== undefined && { ca }),
    },
  });
}

interface Line extends Disposable {
  readonly isBroken: boolean;
  /** Also rejects when the connection breaks or the signal is aborted meanwhile. */
  step(start: (done: (error?: Error | null) => void) => void): Promise<void>;
}

/** Reports the end of a connection, and ends it when the server sends too much. */
function watchLine(connection: SMTPConnection, socket: Socket, signal: AbortSignal): Line {
  const broken = Promise.withResolvers<never>();
  let isBroken = false;
  broken.promise.catch(() => {
    isBroken = true;
  });
  const breakOff = (code: string, message: string): void =>
    broken.reject(Object.assign(new Error(message), { code }));
  connection.on('error', broken.reject);
  // Deferred: if nodemailer has a more specific reason, it passes that to the step's callback right after.
  connection.once('end', () => {
    setImmediate(() => breakOff('ECONNECTION', 'The connection was closed.'));
  });
  const timer = setInterval(() => {
    if (socket.bytesRead <= MAX_RECEIVED_BYTES) return;
    breakOff('EPROTOCOL', 'The server sends too much data.');
  }, RECEIVED_CHECK_MS);
  return {
    get isBroken() {
      return isBroken;
    },
    step(start) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      start((error) => (error ? reject(error) : resolve()));
      return untilAborted(Promise.race([promise, broken.promise]), signal);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Sends QUIT where the server expects a command. The reply does not matter, so it is not awaited. */
function hangUp(connection: SMTPConnection, socket: Socket, isPolite: boolean): void {
  const end = (): void => {
    connection.close();
    socket.destroy();
    // Otherwise nodemailer would process the remaining lines, possibly thousands.
    Reflect.set(connection, '_responseQueue', []);
  };
  if (!isPolite) {
    end();
    return;
  }
  const timer = setTimeout(end, GOODBYE_MS);
  timer.unref();
  connection.once('end', () => clearTimeout(timer));
  connection.quit();
}

/** nodemailer's entry for a mailbox domain, such as `gmail.com`. */
export function wellKnownServer(domain: string): { host: string; port: number } | null {
  const entry = wellKnown(domain);
  if (entry === false || entry.host === undefined) return null;
  return { host: entry.host, port: Number(entry.port ?? 0) };
}
