export const WINDOW_MS = 60_000;

export interface WindowCounts {
  limit: number;
  /** Requests let through in the fixed minute before this one. */
  previous: number;
  /**
   * Requests counted in this fixed minute, without the present one. Refused ones may still be among
   * them for a moment; they change nothing.
   */
  current: number;
  nowMs: number;
}

export interface WindowDecision {
  allowed: boolean;
  /** Requests in the last minute, rounded up, with the present one when it is let through. */
  used: number;
  remaining: number;
  /** When the next request will pass: the end of the minute while some remain, else the very moment. */
  resetAtMs: number;
}

/**
 * The sliding window counter: the last minute holds this fixed minute's requests and, of the one
 * before, the share that it still overlaps
 * (https://blog.cloudflare.com/counting-things-a-lot-of-different-things/).
 */
export function slidingWindow({ limit, previous, current, nowMs }: WindowCounts): WindowDecision {
  const startMs = nowMs - (nowMs % WINDOW_MS);
  const overlap = (previous * (WINDOW_MS - (nowMs - startMs))) / WINDOW_MS;
  // The overlap only shrinks, so no more than this can have been let through so far.
  const passed = Math.min(current, Math.max(0, Math.floor(limit - overlap)));
  const allowed = overlap + passed + 1 <= limit;
  const counted = passed + (allowed ? 1 : 0);
  const remaining = Math.max(0, Math.floor(limit - overlap - counted));
  return {
    allowed,
    used: Math.ceil(overlap + counted),
    remaining,
    resetAtMs:
      remaining > 0
        ? startMs + WINDOW_MS
        : nextPassMs({ limit, previous, current: counted, startMs }),
  };
}

/** The first moment at which one more request fits, if none is made until then. */
function nextPassMs(counts: {
  limit: number;
  previous: number;
  current: number;
  startMs: number;
}): number {
  const { limit, previous, current, startMs } = counts;
  // It must hold: previous * (1 - t / window) + current + 1 <= limit.
  const room = limit - current - 1;
  if (room >= 0) return startMs + fadedMs(previous, room);
  return startMs + WINDOW_MS + fadedMs(current, limit - 1);
}

/** Milliseconds into a window after which `count` requests of the one before weigh at most `room`. */
function fadedMs(count: number, room: number): number {
  return count <= room ? 0 : Math.ceil((WINDOW_MS * (count - room)) / count);
}
