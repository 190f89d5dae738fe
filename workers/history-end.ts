import type { AttemptEnd } from '#src/platform/work-tally.ts';
import type { Outcome } from './attempt-job.ts';

/** A job that returns later counts as done; an interrupted one does not count. */
const OF_JOB = {
  later: 'done',
  retry: 'retried',
  failed: 'failed',
  'gave-up': 'failed',
  aborted: null,
} as const satisfies Record<Exclude<Outcome['kind'], 'completed'>, AttemptEnd | null>;

/** A job may complete although its row did not, and the row is the truth. Handlers report it in the fact `end`. */
const OF_ROW: Readonly<Record<string, AttemptEnd>> = {
  failed: 'failed',
  paused: 'failed',
  unknown: 'failed',
  postponed: 'retried',
};

/** How the history counts an attempt: by the end of its row, if the handler reports one. */
export function historyEnd(outcome: Outcome): AttemptEnd | null {
  if (outcome.kind !== 'completed') return OF_JOB[outcome.kind];
  return OF_ROW[String(outcome.facts['end'])] ?? 'done';
}
