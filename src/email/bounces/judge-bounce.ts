import type { BounceVerdict, ReturnCause } from './reported-return.ts';

/** What a report says about a failed recipient. */
interface BounceFacts {
  /** The `Status` field; null if absent. */
  status: string | null;
  /** The server's reply, including its codes. */
  diagnostic: string;
}

/**
 * Determines why a message came back. The code in the server's reply outranks the `Status` field, which the reporting
 * server fills in and which is often less specific.
 *
 * An address counts as dead only when a permanent code of RFC 3463 says so, or when the text does and no code
 * contradicts it. Mentions of spam or policy outrank both: many servers reject senders with the code for an unknown
 * user.
 */
export function judgeBounce({ status, diagnostic }: BounceFacts): BounceVerdict {
  const words = diagnostic.slice(0, MAX_DIAGNOSTIC);
  const statusCode = codeIn(words) ?? readStatus(status);
  const cause = causeOf(statusCode, words);
  return {
    statusCode,
    cause,
    isHard: cause === 'no_such_address' || cause === 'mailbox_disabled',
  };
}

/** The meaning of a reply is in its first words. */
const MAX_DIAGNOSTIC = 2_000;

/** The code after a reply code (`550 5.1.1 …`), or qmail's form: `… (#5.1.1)`. IP addresses look similar. */
function codeIn(words: string): string | null {
  const found =
    /(?:^|[^\d.])[45]\d\d[ -]#?([45]\.\d{1,3}\.\d{1,3})(?![.\d])/.exec(words) ??
    /#([45]\.\d{1,3}\.\d{1,3})(?![.\d])/.exec(words);
  return found?.[1] ?? null;
}

/** The field may carry a comment: `5.1.1 (bad destination mailbox address)`. */
function readStatus(status: string | null): string | null {
  return /^\s*([45]\.\d{1,3}\.\d{1,3})(?![.\d])/.exec(status ?? '')?.[1] ?? null;
}

/** Bad mailbox, system or syntax; moved without a forwarding address; `10` is null MX (RFC 7505). */
const DEAD_ADDRESS = /^5\.1\.(?:1|2|3|6|10)$/;
/** Codes that do not name the cause. */
const VAGUE = /^[45]\.(?:0\.0|1\.0|2\.0|3\.0|4\.0|5\.0)$/;

function causeOf(code: string | null, words: string): ReturnCause {
  const isPermanent = code === null ? !/\b4\d\d[ -]/.test(words) : code.startsWith('5.');
  const isPolicy = POLICY.test(words);
  const detail = code?.slice(2) ?? '';
  if (detail.startsWith('7.') || isPolicy) return 'refused';
  if (detail === '2.2') return 'mailbox_full';
  if (detail === '2.3' || detail === '3.4') return 'too_large';
  if (!isPermanent) return 'undelivered';
  if (code !== null && DEAD_ADDRESS.test(code)) return 'no_such_address';
  if (detail === '2.1') return 'mailbox_disabled';
  const isVague = code === null || VAGUE.test(code);
  if (isVague && FULL.test(words)) return 'mailbox_full';
  return isVague && UNKNOWN_USER.test(words) ? 'no_such_address' : 'undelivered';
}

const POLICY =
  /\bspam|\bblack[ -]?list|\bblock[ -]?list|\bblocked\b|\bbanned\b|\breputation\b|\bpolicy\b|\b(?:DMARC|SPF|DKIM|DNSBL|RBL)\b|\brelay(?:ing)? (?:access )?denied|\baccess denied\b/i;

const FULL = /\bmailbox (?:is )?full\b|\bover[ -]?quota\b|\bquota (?:is )?exceeded\b/i;

/** Phrases that can only mean that the mailbox does not exist. */
const UNKNOWN_USER =
  /\buser unknown\b|\bunknown user\b|\b(?:no such|unknown|invalid) (?:user|recipient|mailbox|account|address|local[ -]part)\b|\b(?:user|recipient|mailbox|account|address)(?: \S{1,254})? (?:is unknown|does not exist|doesn't exist|no longer exists|not found|not known)\b|\bno mailbox (?:here )?by that name\b|\bdoesn't have an? \S{1,100} account\b|\bemail account that you tried to reach does not exist\b|\bRecipientNotFound\b/i;
