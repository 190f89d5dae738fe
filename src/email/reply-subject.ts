import type { SmtpErrorClass } from './smtp-error-classes.ts';

/** Words for the recipient. `RESOLVER.` is Exchange's prefix for replies about recipients. */
const RECIPIENT =
  /\brecipients?\b|\brcpt\b|\bmailbox\b|\binbox\b|\baddressee\b|\buser\b|\bcustomer\b|\bperson\b|\balias\b|\bdestinat\w+|\b(?:tried|trying) to (?:reach|contact)\b|\bdelivery error\b|\bRESOLVER\./i;
/** Words for the sender. */
const SENDER = /\bsenders?\b|\bclient\b|\byours?\b|\bips?\b/i;
/** May be the sender's or the recipient's account. A missing one is the recipient's: the sender has just signed in. */
const ACCOUNT = /\baccount\b/i;
const MISSING_ACCOUNT =
  /\b(?:no such|unknown|no) account\b|\baccount\b.{0,40}\b(?:unknown|not (?:be )?found|does ?n[o']t exist)\b/i;

/**
 * Whether a refusal is about the sender, its account, client or address, and not the recipient. It must never be
 * reported as a wrong recipient.
 */
export function isAboutSender(text: string): boolean {
  if (RECIPIENT.test(text)) return false;
  return SENDER.test(text) || (ACCOUNT.test(text) && !MISSING_ACCOUNT.test(text));
}

/** The class of an otherwise unspecific refusal of the sender. */
export function senderClass(text: string): SmtpErrorClass {
  return /\bsenders?\b/i.test(text) ? 'sender_rejected' : 'blocked_by_server';
}
