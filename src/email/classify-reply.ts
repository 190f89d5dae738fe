import { meaningOf } from './reply-meaning.ts';
import { isImplicitTls } from './smtp-port.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';

/** The details of a failed exchange, in terms of nodemailer and Node. */
export interface SmtpFailure {
  /** The code of nodemailer, such as `EENVELOPE`, or of the system when no connection was established. */
  code: string;
  /** The underlying code of the system or OpenSSL, such as `ECONNREFUSED`; empty when there is none. */
  originalCode: string;
  /** The command that the server was answering, such as `RCPT TO`; `CONN` for none in particular. */
  command: string;
  /** The three-digit reply code; null when there was no reply. */
  replyCode: number | null;
  /** The code of RFC 3463, such as `4.7.1`; empty when the reply has none. */
  enhancedCode: string;
  /** What the server wrote, without codes, in one line. Never shown: it may reveal internal addresses. */
  text: string;
}

export interface ClassifiedFailure {
  errorClass: SmtpErrorClass;
  /** Whether the same message may be accepted later. */
  isTemporary: boolean;
}

/** Extracts the fields of an error of any origin. */
export function smtpFailureOf(error: unknown): SmtpFailure {
  const field = (name: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  const text = (name: string): string => {
    const value = field(name);
    return typeof value === 'string' ? value : '';
  };
  const replyCode = field('responseCode');
  const response = text('response').slice(0, MAX_TEXT);
  const enhanced = /^\d{3}[ -]#?([245]\.\d{1,3}\.\d{1,3})\b/.exec(response);
  return {
    code: text('code'),
    originalCode: text('originalCode'),
    command: text('command'),
    replyCode: typeof replyCode === 'number' ? replyCode : null,
    enhancedCode: enhanced?.[1] ?? '',
    text: response.replaceAll(CODES, ' ').replaceAll(/\s+/g, ' ').trim(),
  };
}

/** What a reply means stands at its beginning. */
const MAX_TEXT = 2_000;
/** At the beginning of each line. */
const CODES = /^\d{3}[ -]?(?:#?[245]\.\d{1,3}\.\d{1,3})?/gm;

/** Whether the server itself rejected the command. */
export function isNegativeReply({ replyCode }: SmtpFailure): boolean {
  return replyCode !== null && replyCode >= 400 && replyCode < 600;
}

/** Classifies a failure. A reply outranks the error code: 4yz is temporary, 5yz is not (RFC 5321 §4.2.1). */
export function classifyReply(failure: SmtpFailure, port: number): ClassifiedFailure {
  if (!isNegativeReply(failure)) return classifySilence(failure, port);
  const isTemporary = (failure.replyCode ?? 0) < 500;
  return {
    errorClass: isTemporary ? temporaryClass(failure) : permanentClass(failure),
    isTemporary,
  };
}

const SERVICE_CLOSING = 421;
/** Syntax error, not implemented, bad sequence: the server does not support the command here. */
const UNKNOWN_COMMAND: readonly number[] = [500, 502, 503, 504];
const TOO_LARGE = 552;
/** The replies of greylisting to an unknown sender (RFC 6647 §2.1): mailbox busy, local error, with a code that says no more. */
const COME_BACK_LATER: readonly number[] = [450, 451];
const SAYS_NO_MORE = /^$|^4\.(?:0\.0|2\.0|7\.[01])$/;

function temporaryClass(failure: SmtpFailure): SmtpErrorClass {
  const isClosing = failure.replyCode === SERVICE_CLOSING;
  const step = stepOf(failure.command);
  switch (step) {
    case 'auth':
      return isClosing ? 'server_busy' : 'auth_temporarily_failed';
    case 'starttls':
      return isClosing ? 'server_busy' : 'starttls_unavailable';
    case 'hello':
    case 'session':
      return 'server_busy';
    case 'sender':
    case 'recipient':
    case 'data':
      return temporaryMeaning(failure, step);
  }
}

function temporaryMeaning(failure: SmtpFailure, step: MessageStep): SmtpErrorClass {
  const meaning = meaningOf(failure);
  if (meaning === null || meaning === 'temporarily_rejected')
    return temporaryDefault(failure, step);
  // What is refused for now may be accepted later, so nobody is told to change it.
  const isForNow = meaning === 'recipient_rejected' || meaning === 'message_rejected';
  return isForNow ? 'temporarily_rejected' : meaning;
}

function temporaryDefault(failure: SmtpFailure, step: MessageStep): SmtpErrorClass {
  if (failure.replyCode === SERVICE_CLOSING) {
    // At DATA, sender and recipient have been accepted: what remains to reject is the amount of mail.
    return step === 'data' ? 'rate_limited_by_provider' : 'server_busy';
  }
  const isGreylisting =
    step === 'recipient' &&
    meaningOf(failure) === null &&
    COME_BACK_LATER.includes(failure.replyCode ?? 0) &&
    SAYS_NO_MORE.test(failure.enhancedCode);
  return isGreylisting ? 'greylisted' : 'temporarily_rejected';
}

function permanentClass(failure: SmtpFailure): SmtpErrorClass {
  const replyCode = failure.replyCode ?? 0;
  const step = stepOf(failure.command);
  switch (step) {
    case 'auth':
      return UNKNOWN_COMMAND.includes(replyCode) ? 'auth_unavailable' : 'auth_failed';
    case 'starttls':
      return 'starttls_unavailable';
    case 'hello':
      // A server without EHLO does not support STARTTLS either.
      return failure.code === 'ECONNECTION' && UNKNOWN_COMMAND.includes(replyCode)
        ? 'starttls_unavailable'
        : 'blocked_by_server';
    case 'session':
      return 'blocked_by_server';
    case 'sender':
    case 'recipient':
    case 'data':
      return meaningOf(failure) ?? permanentDefault(failure, step);
  }
}

/** Mailbox unavailable, user not local, mailbox name not allowed (RFC 5321 §4.2.3). */
const ABOUT_MAILBOX: readonly number[] = [550, 551, 553];

function permanentDefault(failure: SmtpFailure, step: MessageStep): SmtpErrorClass {
  switch (step) {
    case 'sender':
      return failure.replyCode === TOO_LARGE ? 'message_rejected' : 'sender_rejected';
    case 'recipient': {
      // Servers delay their refusal of client and sender until RCPT, so only what says "mailbox" is about the recipient.
      const isAboutMailbox =
        ABOUT_MAILBOX.includes(failure.replyCode ?? 0) && !failure.enhancedCode.startsWith('5.7.');
      return isAboutMailbox ? 'recipient_rejected' : 'blocked_by_server';
    }
    case 'data':
      return 'message_rejected';
  }
}

type MessageStep = 'sender' | 'recipient' | 'data';
type Step = 'session' | 'hello' | 'starttls' | 'auth' | MessageStep;

function stepOf(command: string): Step {
  if (command.startsWith('AUTH')) return 'auth';
  if (command === 'EHLO' || command === 'HELO') return 'hello';
  if (command === 'STARTTLS') return 'starttls';
  if (command === 'MAIL FROM') return 'sender';
  if (command === 'RCPT TO') return 'recipient';
  return command === 'DATA' ? 'data' : 'session';
}

const permanent = (errorClass: SmtpErrorClass): ClassifiedFailure => ({
  errorClass,
  isTemporary: false,
});
const temporary = (errorClass: SmtpErrorClass): ClassifiedFailure => ({
  errorClass,
  isTemporary: true,
});

function classifySilence(failure: SmtpFailure, port: number): ClassifiedFailure {
  if (failure.code === 'EDNS') {
    return { errorClass: 'dns_error', isTemporary: failure.originalCode === 'EAI_AGAIN' };
  }
  const systemCode = failure.originalCode || failure.code;
  const ofTls = classOfTls(systemCode, port);
  if (ofTls !== null) return permanent(ofTls);
  if (UNREACHABLE.has(systemCode)) return temporary('connection_refused');
  if (systemCode === 'ETIMEDOUT') return temporary('timeout');
  switch (failure.code) {
    case 'ENOAUTH':
      return permanent('auth_unavailable');
    case 'EAUTH':
      // The first: a missing password. The second: a reply that is neither positive nor negative is not SMTP.
      return permanent(failure.replyCode === null ? 'auth_failed' : 'not_smtp');
    case 'EPROTOCOL':
      return permanent('not_smtp');
    case 'EMESSAGE':
      // Larger than the size that the server announced.
      return permanent(failure.command === 'MAIL FROM' ? 'message_rejected' : 'not_smtp');
    case 'EENVELOPE':
      return permanent(failure.replyCode === null ? 'failed' : 'not_smtp');
    case 'ETLS':
      return failure.command === 'STARTTLS'
        ? permanent('starttls_unavailable')
        : temporary('tls_failed');
    case 'ECONNECTION':
    case 'ESOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return temporary('connection_closed');
    default:
      return permanent('failed');
  }
}

/** Nothing listens there, or there is no route. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'EACCES',
  'EADDRNOTAVAIL',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EPERM',
]);

/** OpenSSL's errors for a response that is not TLS. */
const NO_TLS: ReadonlySet<string> = new Set([
  'ERR_SSL_HTTP_REQUEST',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_UNKNOWN_PROTOCOL',
  'ERR_SSL_WRONG_VERSION_NUMBER',
]);

/** X.509 verification codes of Node: "X509 certificate error codes" in its documentation of TLS. */
const UNTRUSTED =
  /^(?:CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERROR_IN_C|INVALID_|PATH_LENGTH_EXCEEDED$)/;

function classOfTls(systemCode: string, port: number): SmtpErrorClass | null {
  if (systemCode === 'ERR_TLS_CERT_ALTNAME_INVALID' || systemCode === 'HOSTNAME_MISMATCH') {
    return 'tls_hostname_mismatch';
  }
  if (UNTRUSTED.test(systemCode)) return 'tls_untrusted';
  if (NO_TLS.has(systemCode) && isImplicitTls(port)) return 'tls_mode_mismatch';
  return /^ERR_(?:SSL|TLS)_|^EPROTO$/.test(systemCode) ? 'tls_failed' : null;
}
