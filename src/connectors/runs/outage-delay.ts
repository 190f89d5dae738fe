/** Bounds on the wait that a source asks for: never no pause at all, and never forever. */
const MIN_REQUESTED_DELAY_MS = 5_000;
const MAX_REQUESTED_DELAY_MS = 24 * 60 * 60_000;
const FIRST_DELAY_MS = 15_000;
const LONGEST_DELAY_MS = 15 * 60_000;
/** With these delays, about two hours in total. */
export const MAX_OUTAGES = 12;

/** How long to pause after `outages` earlier outages; plus up to a fifth, at random. */
export function outageDelayMs(outages: number, random: () => number = Math.random): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** outages, LONGEST_DELAY_MS);
  return Math.round(delay * (1 + random() / 5));
}

/** How long to wait when the source, or our own backlog, states a time. */
export function requestedDelayMs(retryAfterMs: number | null): number | null {
  if (retryAfterMs === null) return null;
  return Math.min(Math.max(retryAfterMs, MIN_REQUESTED_DELAY_MS), MAX_REQUESTED_DELAY_MS);
}
