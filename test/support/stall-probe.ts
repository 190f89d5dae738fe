import { isMainThread } from 'node:worker_threads';

/** How often the loop is checked; stalls are measured to this precision. */
const INTERVAL_MS = 5;

/** The reply of a probed process to every message. */
export interface StallReport {
  /** The longest time that the event loop was blocked since the last message, in ms of the thread's processor time. */
  longestMs: number;
}

/**
 * Preloaded into a process started by a benchmark or a test. It measures processor time of the main thread between two
 * turns of the loop instead of wall time, so a busy machine does not look like a blocked loop.
 */
function watchLoop(): void {
  // Worker threads preload this file too.
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
