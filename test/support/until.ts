import { setTimeout as wait } from 'node:timers/promises';

/** Polls until `condition` holds. @throws when it does not within `timeoutMs` */
export async function until(
  condition: () => Promise<boolean>,
  timeoutMs: number = 90_000,
  everyMs: number = 50,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline)
      throw new Error(`The condition did not hold within ${timeoutMs} ms.`);
    await wait(everyMs);
  }
}
