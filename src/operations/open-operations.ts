import type { Metrics } from '#src/platform/metrics.ts';
import { waitFor } from '#src/platform/wait-for.ts';
import { SearchTally } from './count-searches.ts';
import { PauseSignal } from './follow-pauses.ts';
import { createJobHistory } from './job-history.ts';
import { LiveHub } from './live-hub.ts';
import { COUNTED_BY_ROWS } from './queue-facts.ts';

/** What a process keeps in memory for operations. */
export function openOperations(clock: () => Date, metrics: Metrics) {
  const jobHistory = createJobHistory(clock, COUNTED_BY_ROWS, (queue, end, { waitMs, runMs }) =>
    metrics.observeAttempt(queue, end, {
      waitSeconds: waitMs === null ? null : waitMs / 1_000,
      runSeconds: runMs / 1_000,
    }),
  );
  return {
    jobHistory,
    workTally: jobHistory,
    pauseSignal: new PauseSignal(),
    searchTally: new SearchTally(),
    liveHub: new LiveHub(waitFor),
  };
}
