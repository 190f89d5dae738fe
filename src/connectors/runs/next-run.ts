/** The minimum for the frequency settings, in seconds. */
export const MIN_REFRESH_SECONDS = 60;
export const MIN_PRUNE_SECONDS = 300;
/** So that changes which a source lists late, or with a clock behind ours, are still seen. */
const OVERLAP_MS = 30 * 60_000;

/**
 * When the next run is due: the first time after `now` on the grid given by `due` and the period. A run that takes
 * longer than its period is followed at the next grid point; missed points are skipped, and no run starts early.
 * @returns null when there is no period
 */
export function nextDue(due: Date | null, periodSeconds: number | null, now: Date): Date | null {
  if (periodSeconds === null) return null;
  const periodMs = periodSeconds * 1_000;
  const base = (due ?? now).getTime();
  const passed = Math.max(0, Math.floor((now.getTime() - base) / periodMs));
  const next = base + passed * periodMs;
  return new Date(next > now.getTime() ? next : next + periodMs);
}

/** Where a poll begins: null is the very beginning. */
export function pollStart(from: {
  fromBeginning: boolean;
  syncedUntil: Date | null;
  indexingStart: Date | null;
  /** Start of the earliest window with failures that only polling it again can fix; undefined when there are none. */
  failedSince: Date | null | undefined;
}): Date | null {
  if (from.fromBeginning || from.syncedUntil === null || from.failedSince === null) {
    return from.indexingStart;
  }
  const overlapped = new Date(from.syncedUntil.getTime() - OVERLAP_MS);
  return latest(earliest(overlapped, from.failedSince ?? overlapped), from.indexingStart);
}

function earliest(a: Date, b: Date): Date {
  return a < b ? a : b;
}

function latest(a: Date, b: Date | null): Date {
  return b !== null && b > a ? b : a;
}
