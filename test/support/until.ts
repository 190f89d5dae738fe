import { setTimeout as wait } from 'node:timers/promises';

const SHORTEST_MS = 20;
const LONGEST_MS = 100;

/**
 * Polls until `condition` holds: without `everyMs` ever less often, because most conditions are a request, and a test
 * that waits for a lease would spend its processor time on thousands of them.
 * @throws when it does not hold within `timeoutMs`
 */
export async function until(
  condition: () => Promise<boolean>,
  timeoutMs: number = 20_000,
  everyMs?: number,
): Promise<void> {
  const start = Date.now();
  while (!(await condition())) {
    const passedMs = Date.now() - start;
    if (passedMs > timeoutMs) throw new Error(`The condition did not hold within ${timeoutMs} ms.`);
    await wait(everyMs ?? Math.min(Math.max(passedMs / 8, SHORTEST_MS), LONGEST_MS));
  }
}

/** Polls like `until`, long enough for leases and claims of killed processes to expire. */
export function untilRecovered(condition: () => Promise<boolean>): Promise<void> {
  return until(condition, 90_000);
}
