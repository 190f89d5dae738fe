const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays before the second, third, … attempt, from the end of the previous one: 75 h 35 min 5 s in total. */
const DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
export const MAX_ATTEMPTS = DELAYS_MS.length + 1;
/**
 * Failures on our side do not count against the receiver, up to this many per round: a name that never resolves must
 * end.
 */
export const MAX_OWN_OUTAGES = 50;
/** Spreads retries of deliveries that failed at the same time. */
const JITTER = 0.2;

/**
 * Milliseconds until the next attempt, or null when the schedule is used up. `Retry-After` is honoured between the
 * schedule's own delay and twice that, so that no receiver can speed up or stop its deliveries.
 * @param attempts those of this round that counted, at least 1
 * @param random in [0, 1)
 */
export function nextDelayMs(
  attempts: number,
  { retryAfterMs, random }: { retryAfterMs: number | null; random: number },
): number | null {
  const base = DELAYS_MS[attempts - 1];
  if (base === undefined) return null;
  if (retryAfterMs !== null) return Math.min(Math.max(retryAfterMs, base), 2 * base);
  return Math.round(base * (1 - JITTER + 2 * JITTER * random));
}
