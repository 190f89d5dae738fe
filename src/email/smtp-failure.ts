import type { LimitPeriod } from './limit-period.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';

/** Details of a failed exchange, in terms of nodemailer and Node. */
export interface SmtpFailure {
  /** nodemailer's code, such as `EENVELOPE`, or the system's when no connection was established. */
  code: string;
  /** The underlying code of the system or OpenSSL, such as `ECONNREFUSED`; empty if none. */
  originalCode: string;
  /** The command that the server answered, such as `RCPT TO`; `CONN` if none in particular. */
  command: string;
  /** The three-digit reply code; null without a reply. */
  replyCode: number | null;
  /** The enhanced status code (RFC 3463), such as `4.7.1`; empty if none. */
  enhancedCode: string;
  /** The server's text in one line, without codes. Never shown: it may reveal internal addresses. */
  text: string;
}

export interface ClassifiedFailure {
  errorClass: SmtpErrorClass;
  /** Whether a retry may succeed. */
  isTemporary: boolean;
  /** The period of the sending limit, if the server says that one is reached. */
  limit: LimitPeriod | null;
}

/** Extracts the details from any error. */
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

/** The meaning of a reply is in its first words. */
const MAX_TEXT = 2_000;
const CODES = /^\d{3}[ -]?(?:#?[245]\.\d{1,3}\.\d{1,3})?/gm;

/** Whether the server itself rejected the command. */
export function isNegativeReply({ replyCode }: SmtpFailure): boolean {
  return replyCode !== null && replyCode >= 400 && replyCode < 600;
}

/** A failure found without contacting the server. */
export function refusedHere(errorClass: SmtpErrorClass): ClassifiedFailure {
  return { errorClass, isTemporary: false, limit: null };
}
