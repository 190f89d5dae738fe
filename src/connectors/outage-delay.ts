const FIRST_DELAY_MS = 15_000;
const LONGEST_DELAY_MS = 15 * 60_000;
/** With these delays, about two hours. */
export const MAX_OUTAGES = 12;

/** How long to leave a source alone that could not be used `outages` times before; up to a fifth more, at random. */
export function outageDelayMs(outages: number, random: () => number = Math.random): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** outages, LONGEST_DELAY_MS);
  return Math.round(delay * (1 + random() / 5));
}
