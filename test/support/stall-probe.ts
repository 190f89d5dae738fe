import { isMainThread } from 'node:worker_threads';

/** How often the loop is checked; stalls are measured to this precision. */
const INTERVAL_MS = 5;

/** The reply of a probed process to every message. */
export interface StallReport {
  /** The longest time that the event loop was blocked since the last message, in ms of the thread's processor time. */
  longestMs: number;
  /** What a fixed piece of work took just now, in ms of processor time: how slow this machine is. Null after short stalls. */
  referenceMs: number | null;
}

const REFERENCE_TRIES = 3;
/** Stalls below this are short on any machine. */
const SHORT_MS = 50;
/** As much as the largest document. */
const TEXT = 'harbour tide '.repeat(1_500_000);
const VALUES = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ text: `Part ${n}` })));

/** Memory that was not used before, and the processor: machines differ in both. */
function referenceWork(): number {
  const before = process.threadCpuUsage();
  structuredClone(TEXT);
  structuredClone(JSON.parse(VALUES));
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function leastReferenceWork(): number {
  return Math.min(...Array.from({ length: REFERENCE_TRIES }, referenceWork));
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
    const referenceMs = longestMs < SHORT_MS ? null : leastReferenceWork();
    process.send?.({ longestMs, referenceMs } satisfies StallReport);
    longestMs = 0;
    last = process.threadCpuUsage();
  });
  process.channel?.unref();
}

watchLoop();
