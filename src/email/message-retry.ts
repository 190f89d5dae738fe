import type { SmtpErrorClass } from './smtp-error-classes.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses before the second attempt and those after it. */
const PAUSES_MS = {
  /** Somebody waits for it, for 20 s; a server that greylists lets it in after minutes. */
  verification: [3 * SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS],
  /** A greylisting server lets a message in after minutes (RFC 6647 §4.2); one that is full or away, after hours. */
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
 * The server itself asks to come again. Whoever waits for a verification is told at once of everything else: a server
 * that cannot be reached is mostly one whose name or port is wrong.
 */
const REPLIES: ReadonlySet<SmtpErrorClass> = new Set([
  'auth_temporarily_failed',
  'greylisted',
  'rate_limited_by_provider',
  'server_busy',
  'temporarily_rejected',
] as const);

/** When a message is tried again after so many temporary failures; null when it is not. */
export function retryDelayMs(
  { kind, attempts }: { kind: keyof typeof PAUSES_MS; attempts: number },
  errorClass: SmtpErrorClass,
): number | null {
  if (kind === 'verification' && !REPLIES.has(errorClass)) return null;
  return PAUSES_MS[kind][attempts - 1] ?? null;
}

/** Attempts may also be lost with their workers; a message that has lost this many is what kills them. */
export function maxAttempts(kind: keyof typeof PAUSES_MS): number {
  return PAUSES_MS[kind].length + 4;
}
