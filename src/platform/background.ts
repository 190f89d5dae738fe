import { setTimeout as wait } from 'node:timers/promises';
import { openGate, throughGate } from './gate.ts';

/** The statements of one task follow each other within a few milliseconds; a task that pauses longer is not hurt. */
const QUIET_MS = 5;
/** Background work is not starved by steady traffic. */
const LONGEST_WAIT_MS = 250;

/** Runs a short piece of non-urgent database work, such as one step of a large write. */
export type Background = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * The embedded database runs one statement at a time, so background work goes one piece after the other, and each waits
 * until the database is idle. On a server pieces start at once.
 * @param idleMs how long the embedded database has been idle; null on a server
 */
export function createBackground(idleMs: (() => number) | null): Background {
  if (idleMs === null) return (work) => work();
  const enter = openGate(1);
  return (work) =>
    throughGate(enter, async () => {
      const latest = performance.now() + LONGEST_WAIT_MS;
      while (idleMs() < QUIET_MS && performance.now() < latest) await wait(QUIET_MS);
      return work();
    });
}
