import { isMainThread } from 'node:worker_threads';

/** How often the loop is looked at; a stall is measured to within this. */
const INTERVAL_MS = 5;

/** What a probed process answers to every message. */
export interface StallReport {
  /** The longest that the event loop was held since the message before, in ms of the thread's processor time. */
  longestMs: number;
}

/**
 * Preloaded into a process that a bench or a test has started. It measures the processor time of the main thread between two turns
 * of the loop, not the clock: while the machine is busy with others, nothing is held that would not be held anyway.
 */
function watchLoop(): void {
  // Threads preload this, too.
  if (!isMainThread || process.send === undefined) return;
  let longestMs = 0;
  let last = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    last = process.threadCpuUsage();
  };
  setInterval(look, INTERVAL_MS).unref();
  process.on('message', () => {
    look();
    process.send?.({ longestMs } satisfies StallReport);
    longestMs = 0;
  });
  process.channel?.unref();
}

watchLoop();
