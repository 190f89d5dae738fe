import { describe, expect, it } from 'vitest';
import { type StoredJob, writeNote } from '#queues/read-jobs.ts';
import { eventsOf } from '#src/operations/jobs.ts';

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 12, minute));
const job: StoredJob = {
  id: '7',
  state: 'failed',
  payload: { scrapeId: 'a' },
  requestId: null,
  traceId: null,
  attempts: 2,
  maxAttempts: 2,
  addedAt: at(0),
  dueAt: at(0),
  takenAt: at(4),
  finishedAt: at(5),
  error: 'Second',
  stacks: ['Error: First\n  at a', 'Error: Second\n  at b'],
};
const note = (attempt: number, end: string, error: string) => ({
  attempt,
  at: at(attempt),
  end,
  durationMs: 10,
  error,
});

describe('the events of a job', () => {
  it('have the time and stack of each attempt, and no stack where a restart ended it', () => {
    const notes = [
      note(1, 'retry', 'First'),
      note(2, 'aborted', 'Stop'),
      note(2, 'failed', 'Second'),
    ];
    expect(eventsOf(job, notes).map(({ kind, attempt, stack }) => [kind, attempt, stack])).toEqual([
      ['added', null, null],
      ['attempt', 1, 'Error: First\n  at a'],
      ['interrupted', 2, null],
      ['attempt', 2, 'Error: Second\n  at b'],
      ['failed', null, null],
    ]);
  });

  const first = 'Error: First\n  at a';
  const second = 'Error: Second\n  at b';
  const stop = note(2, 'aborted', 'Stop');

  it.each([
    ['first', [stop, note(2, 'failed', 'Second')], [null, second]],
    ['last', [note(1, 'retry', 'First'), stop], [first, null]],
  ])('have their own stack when the note on the %s attempt is missing', (_, notes, stacks) => {
    const ended = eventsOf(job, notes).filter(({ error }) => error !== null);
    expect(ended.map(({ stack }) => stack)).toEqual(stacks);
  });

  it('have no stack for attempts before a retry that removed the stacks', () => {
    const notes = [note(1, 'retry', 'Same'), note(2, 'failed', 'Same'), note(3, 'retry', 'Same')];
    const retried = { ...job, stacks: ['Error: Same\n  at c'] };
    const attempts = eventsOf(retried, notes).filter(({ kind }) => kind === 'attempt');
    expect(attempts.map(({ stack }) => stack)).toEqual([null, null, 'Error: Same\n  at c']);
  });

  it('have no times for jobs of older versions, whose attempts were not noted', () => {
    const attempts = eventsOf(job, []).filter(({ kind }) => kind === 'attempt');
    expect(attempts.map((event) => [event.at, event.error])).toEqual([
      [null, 'Error: First'],
      [null, 'Error: Second'],
    ]);
  });

  it('include the wait of a delayed job, and the duration of the last attempt', () => {
    const done: StoredJob = { ...job, state: 'completed', dueAt: at(3), stacks: [], error: null };
    expect(eventsOf(done, []).map(({ kind, durationMs }) => [kind, durationMs])).toEqual([
      ['added', null],
      ['due', null],
      ['completed', 60_000],
    ]);
  });
});

it('have only the beginning of an error', () => {
  expect(writeNote(note(1, 'retry', 'x'.repeat(100_000))).length).toBeLessThan(2_200);
});
