import type { LimitPeriod } from './limit-period.ts';
import type { ProviderLimit } from './provider-limits.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The rest is reserved for verifications, and for mail that the owner sends with other programs. */
const PACED_SHARE = 0.9;
/** The longest that a worker waits for a turn; beyond that, the message is requeued. */
export const LONGEST_WAIT_MS = 5 * SECOND_MS;
/** How far ahead turns are granted. Messages beyond that ask again later. */
const LINE_MS = HOUR_MS;
/** The gap after a pause until a message is accepted, so that waiting messages do not all go at once. */
const PROBING_GAP_MS = 10 * SECOND_MS;
/** Pauses after a reply that mentions a limit. They double from `first` to `longest`. */
const PAUSES_MS: Readonly<Record<LimitPeriod, { first: number; longest: number }>> = {
  minute: { first: MINUTE_MS, longest: HOUR_MS },
  hour: { first: 20 * MINUTE_MS, longest: HOUR_MS },
  // Not sooner: with some providers each attempt restarts the day.
  day: { first: DAY_MS, longest: DAY_MS },
};
/** A message fails after waiting this long for a limit. */
export const LONGEST_HOLD_MS = 3 * DAY_MS;

/** The state of an SMTP user at its server. Times are milliseconds from now, negative in the past. */
export interface Pace {
  /** When the next message may be sent. */
  nextSendMs: number;
  /** The end of the turns granted so far. */
  lineEndMs: number;
  /** Pauses in a row, without an accepted message in between. */
  strikes: number;
  /** Messages of the last 24 hours, rounded to whole hours. */
  sentInDay: number;
  /** When the oldest of these hours stops counting; null if nothing was sent. */
  dayFreesMs: number | null;
}

export type Turn =
  | { kind: 'now'; waitMs: number; nextSendMs: number }
  | {
      kind: 'later';
      delayMs: number;
      /** The new end of the line if a turn was granted; otherwise null. */
      lineEndMs: number | null;
      /** `rate` and `day`: a published limit. `refused`: a limit reported by the server. */
      because: 'rate' | 'day' | 'refused';
    };

/**
 * Decides whether a message may be sent now, or when. A message with a turn waits only for the last one sent; all
 * others line up behind the turns granted.
 */
export function decideTurn(pace: Pace, limit: ProviderLimit | null, hasTurn: boolean): Turn {
  const gapMs = gapOf(limit, pace.strikes);
  const room = dayRoomOf(limit);
  if (room !== null && pace.sentInDay >= room) {
    const delayMs = Math.max(pace.dayFreesMs ?? 0, MINUTE_MS);
    return { kind: 'later', delayMs, lineEndMs: null, because: 'day' };
  }
  // After a clock change, the stored time may be later than any pause.
  const gateMs = Math.min(Math.max(0, pace.nextSendMs), DAY_MS);
  const lineMs = Math.min(Math.max(gateMs, pace.lineEndMs), gateMs + LINE_MS + gapMs);
  const slotMs = hasTurn && gateMs <= LONGEST_WAIT_MS ? gateMs : lineMs;
  if (slotMs <= LONGEST_WAIT_MS) {
    return { kind: 'now', waitMs: slotMs, nextSendMs: slotMs + gapMs };
  }
  return {
    kind: 'later',
    delayMs: slotMs,
    lineEndMs: slotMs <= LINE_MS ? slotMs + gapMs : null,
    because: pace.strikes > 0 ? 'refused' : 'rate',
  };
}

/** Milliseconds between two messages. */
export function gapOf(limit: ProviderLimit | null, strikes: number): number {
  const perMinute = limit?.perMinute ?? Infinity;
  const perHour = limit?.perHour ?? Infinity;
  const gapMs = Math.max(
    perMinute > 0 ? MINUTE_MS / (perMinute * PACED_SHARE) : 0,
    perHour > 0 ? HOUR_MS / (perHour * PACED_SHARE) : 0,
  );
  return Math.ceil(strikes > 0 ? Math.max(gapMs, PROBING_GAP_MS) : gapMs);
}

/** The number of messages allowed within 24 hours; null if unlimited. */
export function dayRoomOf(limit: ProviderLimit | null): number | null {
  const perDay = limit?.perDay ?? null;
  return perDay === null || perDay <= 0 ? null : Math.max(1, Math.floor(perDay * PACED_SHARE));
}

/** How long to pause after a reply that mentions a limit, given the number of pauses in a row before. */
export function pauseMs(period: LimitPeriod, strikes: number): number {
  const { first, longest } = PAUSES_MS[period];
  return Math.min(first * 2 ** Math.min(strikes, 20), longest);
}
