import { classifySilence } from './classify-silence.ts';
import { limitPeriodOf } from './limit-period.ts';
import { meaningOf } from './reply-meaning.ts';
import { isAboutSender, senderClass } from './reply-subject.ts';
import { signInMeaning } from './sign-in-meaning.ts';
import { type ClassifiedFailure, isNegativeReply, type SmtpFailure } from './smtp-failure.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';

/** Classifies a failure. A reply outranks the error code: 4yz is temporary, 5yz is not (RFC 5321 §4.2.1). */
export function classifyReply(failure: SmtpFailure, port: number): ClassifiedFailure {
  if (!isNegativeReply(failure)) return classifySilence(failure, port);
  const isTemporary = (failure.replyCode ?? 0) < 500;
  const errorClass = isTemporary ? temporaryClass(failure) : permanentClass(failure);
  // A 421 at DATA is presumed to be a limit: the reply itself does not mention one.
  const saysLimit = meaningOf(failure) === 'rate_limited_by_provider';
  const isLimit = errorClass === 'rate_limited_by_provider' && saysLimit;
  return { errorClass, isTemporary, limit: isLimit ? limitPeriodOf(failure) : null };
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
      return signInMeaning(failure) ?? (isClosing ? 'server_busy' : 'auth_temporarily_failed');
    case 'starttls':
      return connectionMeaning(failure) ?? (isClosing ? 'server_busy' : 'starttls_unavailable');
    case 'hello':
    case 'session':
      return connectionMeaning(failure) ?? 'server_busy';
    case 'sender':
    case 'recipient':
    case 'data':
      return temporaryMeaning(failure, step);
  }
}

function temporaryMeaning(failure: SmtpFailure, step: MessageStep): SmtpErrorClass {
  const meaning = messageMeaning(failure, step);
  if (meaning === null || meaning === 'temporarily_rejected')
    return temporaryDefault(failure, step);
  // A temporary refusal is no reason to change recipient or message.
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
  const isUnknownCommand = UNKNOWN_COMMAND.includes(failure.replyCode ?? 0);
  const step = stepOf(failure.command);
  switch (step) {
    case 'auth':
      return signInMeaning(failure) ?? (isUnknownCommand ? 'auth_unavailable' : 'auth_failed');
    case 'starttls':
      return connectionMeaning(failure) ?? 'starttls_unavailable';
    case 'hello':
      // A server without EHLO does not support STARTTLS either.
      return failure.code === 'ECONNECTION' && isUnknownCommand
        ? 'starttls_unavailable'
        : (connectionMeaning(failure) ?? 'blocked_by_server');
    case 'session':
      return connectionMeaning(failure) ?? 'blocked_by_server';
    case 'sender':
    case 'recipient':
    case 'data':
      return messageMeaning(failure, step) ?? permanentDefault(failure, step);
  }
}

/** The causes of refusals before sign-in. */
const ABOUT_CONNECTION: ReadonlySet<SmtpErrorClass> = new Set([
  'blocked_by_server',
  'rate_limited_by_provider',
  'tls_failed',
] as const);

function connectionMeaning(failure: SmtpFailure): SmtpErrorClass | null {
  const meaning = meaningOf(failure);
  return meaning !== null && ABOUT_CONNECTION.has(meaning) ? meaning : null;
}

function messageMeaning(failure: SmtpFailure, step: MessageStep): SmtpErrorClass | null {
  const meaning = meaningOf(failure);
  if (step !== 'sender') return meaning;
  // At MAIL no recipient is known yet: the mailbox in question is the sender's.
  if (meaning === 'recipient_rejected') return 'sender_rejected';
  return meaning === 'mailbox_full' ? 'blocked_by_server' : meaning;
}

/** Mailbox unavailable, user not local, mailbox name not allowed (RFC 5321 §4.2.3). */
const ABOUT_MAILBOX: readonly number[] = [550, 551, 553];
/** Exim's text for rules without a message of their own. Hosting companies use such rules for sending limits. */
const NAMES_NO_REASON = /^administrative prohibition\b/i;

function permanentDefault(failure: SmtpFailure, step: MessageStep): SmtpErrorClass {
  switch (step) {
    case 'sender':
      return failure.replyCode === TOO_LARGE ? 'message_rejected' : 'sender_rejected';
    case 'recipient': {
      if (isAboutSender(failure.text)) return senderClass(failure.text);
      // Servers delay their refusal of client and sender until RCPT, so only what says "mailbox" is about the recipient.
      const isAboutMailbox =
        ABOUT_MAILBOX.includes(failure.replyCode ?? 0) &&
        !failure.enhancedCode.startsWith('5.7.') &&
        !NAMES_NO_REASON.test(failure.text);
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
