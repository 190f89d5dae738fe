import type { SmtpErrorClass } from './smtp-error-classes.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses before the second and later attempts. */
const PAUSES_MS = {
  /** Someone waits up to 20 s for the result; a greylisting server accepts the message after minutes. */
  verification: [3 * SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS],
  /** A greylisting server accepts a message after minutes (RFC 6647 §4.2); one that is full or down, after hours. */
  message: [
    MINUTE_MS,
    5 * MINUTE_MS,
    15 * MINUTE_MS,
    HOUR_MS,
    4 * HOUR_MS,
    8 * HOUR_MS,
    12 * HOUR_MS,
  ],
} as const;

/**
 * Failures where the server itself asks for another attempt. A verification fails at once for everything else: an
 * unreachable server usually means a wrong name or port.
 */
const REPLIES: ReadonlySet<SmtpErrorClass> = new Set([
  'auth_temporarily_failed',
  'greylisted',
  'rate_limited_by_provider',
  'server_busy',
  'temporarily_rejected',
] as const);

/** The delay before the next attempt, after this many temporary failures; null when there is no next one. */
export function retryDelayMs(
  { kind, attempts }: { kind: keyof typeof PAUSES_MS; attempts: number },
  errorClass: SmtpErrorClass,
): number | null {
  if (kind === 'verification' && !REPLIES.has(errorClass)) return null;
  return PAUSES_MS[kind][attempts - 1] ?? null;
}

/**
 * An attempt also counts when its worker dies; a message with this many attempts is probably what kills the workers.
 */
export function maxAttempts(kind: keyof typeof PAUSES_MS): number {
  return PAUSES_MS[kind].length + 4;
}
