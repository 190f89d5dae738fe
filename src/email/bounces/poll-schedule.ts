import type { MailboxErrorClass } from './mailbox-failure.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Reports are not urgent: senders react within hours. */
export const POLL_EVERY_MS = 5 * MINUTE_MS;
/** For a report that arrived before its message was recorded as sent, which takes less than a minute. */
export const EARLY_REPORT_MS = MINUTE_MS;

const LONGEST_MS = 6 * HOUR_MS;
/** Servers lock accounts after repeated sign-ins with a wrong password. */
const LONGEST_AFTER_REFUSAL_MS = 24 * HOUR_MS;
const NEEDS_OWNER: ReadonlySet<MailboxErrorClass> = new Set([
  'auth_failed',
  'folder_missing',
  'password_unreadable',
  'port_not_allowed',
] as const);

/**
 * The pause after this many failed polls in a row. It doubles each time, starting at an hour if the owner has to act.
 */
export function pauseAfterFailure(errorClass: MailboxErrorClass, failures: number): number {
  const needsOwner = NEEDS_OWNER.has(errorClass);
  const first = needsOwner ? HOUR_MS : POLL_EVERY_MS;
  const longest = needsOwner ? LONGEST_AFTER_REFUSAL_MS : LONGEST_MS;
  return Math.min(longest, first * 2 ** Math.min(Math.max(failures - 1, 0), 10));
}
