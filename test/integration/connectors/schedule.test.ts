// @module-tag database
// @module-tag queues
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openServices } from '#src/open-services.ts';
import { parseConfig } from '#src/platform/config.ts';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import type { Services } from '#src/services.ts';
import { simulateSchedule } from '#test/support/simulate-schedule.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { migrateTestDatabase } from '#test/support/test-millrace.ts';

const REFRESH_SECONDS = 60;
/** The benchmark `schedule` simulates an hour of 200 pairs. */
const MINUTES = 5;
const PAIRS = 40;

let opened: AsyncDisposableStack;
let services: Services;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  const environment = opened.use(await openTestEnvironment());
  await migrateTestDatabase(environment.settings);
  services = opened.use(await openServices(parseConfig(environment.settings)));
  await ensureBootstrap(services.db, { bootstrapKey: null });
});
afterEach(() => opened.disposeAsync());

/** Delay of each run against the grid of its pair, in ms. */
function lateness(starts: number[]): number[] {
  const [first = 0] = starts;
  return starts.map((start, n) => start - first - n * REFRESH_SECONDS * 1_000);
}

describe('40 pairs that are due every minute', () => {
  it('run once a minute each, on time and never twice', async () => {
    const { runs, longestQueue } = await simulateSchedule(services, {
      pairs: PAIRS,
      refreshSeconds: REFRESH_SECONDS,
      minutes: MINUTES,
    });
    expect(runs.size).toBe(PAIRS);
    for (const starts of runs.values()) {
      expect(starts.length).toBeGreaterThanOrEqual(MINUTES);
      expect(starts.length).toBeLessThanOrEqual(MINUTES + 1);
      for (const late of lateness(starts)) expect(Math.abs(late)).toBeLessThanOrEqual(5_000);
    }
    expect(longestQueue).toBeLessThanOrEqual(2 * PAIRS);
  });
});

describe('a queue that loses all jobs', () => {
  it('delays the runs of that minute and no others', async () => {
    const { runs } = await simulateSchedule(services, {
      pairs: 20,
      refreshSeconds: REFRESH_SECONDS,
      minutes: MINUTES,
      loseQueueAtMs: 90_000,
    });
    expect(runs.size).toBe(20);
    for (const starts of runs.values()) {
      const late = lateness(starts);
      expect(starts.length).toBeGreaterThanOrEqual(MINUTES);
      expect(Math.max(...late)).toBeLessThanOrEqual(20_000);
      expect(late.slice(4).every((ms) => ms <= 5_000)).toBe(true);
    }
  });
});
