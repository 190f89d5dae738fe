import { meaningOf, type NegativeReply } from './reply-meaning.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';

/** General meanings of codes and texts that also apply at AUTH, beside a wrong password. */
const GENERAL: ReadonlySet<SmtpErrorClass> = new Set([
  'blocked_by_server',
  'rate_limited_by_provider',
  'tls_failed',
] as const);

interface Rule {
  code?: RegExp;
  text?: RegExp;
  means: SmtpErrorClass;
}

/** The first match counts. Some codes have a special meaning at AUTH (RFC 4954 §6). */
const RULES: readonly Rule[] = [
  // "Basic authentication" is Microsoft's term for passwords.
  {
    text: /\bbasic authentication is (?:disabled|not supported)\b|\bauthentication (?:is )?not (?:allowed|enabled|supported)\b/i,
    means: 'auth_unavailable',
  },
  // Disabled for this user by the organisation, or a wrong password: our error text covers both.
  { code: /^7\.139$/, means: 'auth_failed' },
  {
    text: /\btoo many (?:\w+ ){0,2}(?:auth\w*|log-?ins?|sign-?ins?) (?:attempts|failures)\b|\btoo many failed\b/i,
    means: 'auth_temporarily_failed',
  },
  {
    text: /\b(?:account|user|login|sender)\b.{0,40}\b(?:suspended|blocked|locked|disabled|deactivated|inactive)\b|\baccount is not active\b/i,
    means: 'blocked_by_server',
  },
];

/**
 * What a refusal of AUTH means beyond "wrong user name or password".
 * @returns null if nothing more specific
 */
export function signInMeaning(reply: NegativeReply): SmtpErrorClass | null {
  const code = reply.enhancedCode.slice(2);
  const rule = RULES.find(
    (candidate) =>
      candidate.code?.test(code) !== false && candidate.text?.test(reply.text) !== false,
  );
  if (rule) return rule.means;
  const meaning = meaningOf(reply);
  return meaning !== null && GENERAL.has(meaning) ? meaning : null;
}
