const TICK_MS = 50;

let laggedMs = 0;
let dueMs = Number.POSITIVE_INFINITY;

/**
 * How long this process has kept its own timers waiting so far, in ms: work on the main thread, or a machine without a
 * free core. Differences of it tell how much of a span was not spent on what was waited for. It counts from the first
 * call on.
 */
export function loopLagMs(): number {
  const nowMs = performance.now();
  if (dueMs === Number.POSITIVE_INFINITY) startTicking(nowMs);
  return laggedMs + Math.max(0, nowMs - dueMs);
}

function startTicking(nowMs: number): void {
  dueMs = nowMs + TICK_MS;
  setInterval(() => {
    const tickMs = performance.now();
    laggedMs += Math.max(0, tickMs - dueMs);
    dueMs = tickMs + TICK_MS;
  }, TICK_MS).unref();
}
