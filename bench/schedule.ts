import { simulateSchedule } from '#test/support/simulate-schedule.ts';
import { openTestServices } from '#test/support/test-services.ts';

const PAIRS = 200;
const REFRESH_SECONDS = 60;
const MINUTES = 60;
const MB = 1024 * 1024;

/** Measures the punctuality and the cost of one hour of scheduled runs, in simulated time. */
export async function schedule(): Promise<void> {
  await using test = await openTestServices();
  const startedMs = performance.now();
  const { runs, longestQueue, heapBytes } = await simulateSchedule(test.services, {
    pairs: PAIRS,
    refreshSeconds: REFRESH_SECONDS,
    minutes: MINUTES,
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  const starts = [...runs.values()];
  const late = starts.flatMap(([first = 0, ...later]) =>
    later.map((start, n) => start - first - (n + 1) * REFRESH_SECONDS * 1_000),
  );
  const total = starts.reduce((sum, { length }) => sum + length, 0);
  const third = Math.floor(heapBytes.length / 3);
  console.log(`schedule: ${PAIRS} pairs every ${REFRESH_SECONDS} s, ${MINUTES} simulated minutes`);
  console.table({
    runs: total,
    'fewest of a pair': Math.min(...starts.map(({ length }) => length)),
    'most of a pair': Math.max(...starts.map(({ length }) => length)),
    'latest, ms': Math.max(...late),
    'earliest, ms': Math.min(...late),
    'longest queue, jobs': longestQueue,
    'heap after a third, MB': Math.round((heapBytes[third] ?? 0) / MB),
    'heap at the end, MB': Math.round((heapBytes.at(-1) ?? 0) / MB),
    'real runs per second': Math.round(total / seconds),
  });
}
