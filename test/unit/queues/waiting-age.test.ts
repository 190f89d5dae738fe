import { describe, expect, it } from 'vitest';
import { writeNote } from '#queues/read-jobs.ts';
import { createWaitingAge } from '#queues/waiting-age.ts';

const ADDED = Date.UTC(2026, 10, 20, 12);
const NOW = ADDED + 7 * 24 * 3_600_000;

/** A queue with one waiting job, and what tells its age, at a time that passes. */
function waiting(fields: { delay?: number; attemptsMade?: number; processedOn?: number } = {}) {
  const { delay, attemptsMade = 0, processedOn } = fields;
  const job = { id: '7', timestamp: ADDED, opts: { delay }, attemptsMade, processedOn };
  const jobs = [job];
  const logs: string[] = [];
  let now = NOW;
  const age = createWaitingAge(() => now);
  return {
    job,
    jobs,
    noteAt: (ms: number): void => {
      const ended = { attempt: 1, end: 'retry', durationMs: 10, error: 'no luck' };
      logs.push(writeNote({ ...ended, at: new Date(ms) }));
    },
    pass: (ms: number): void => {
      now += ms;
    },
    age: async () =>
      age({
        name: 'sweep',
        getJobs: (types) => Promise.resolve(types.includes('waiting') ? [...jobs] : []),
        getJobLogs: () => Promise.resolve({ logs: [...logs, 'a line of the dashboard'] }),
      }),
  };
}

describe('the age of the job at the head', () => {
  it('is null without a job', async () => {
    const { jobs, age } = waiting();
    jobs.length = 0;
    expect(await age()).toBeNull();
  });

  it('counts from when it was due, before its first attempt', async () => {
    expect(await waiting().age()).toBe(NOW - ADDED);
    expect(await waiting({ delay: 5_000 }).age()).toBe(NOW - ADDED - 5_000);
  });

  it('counts from the end of its last attempt, once one failed', async () => {
    const { noteAt, age } = waiting({ attemptsMade: 1, processedOn: NOW - 90_000 });
    noteAt(NOW - 200_000);
    noteAt(NOW - 60_000);
    expect(await age()).toBe(60_000);
  });

  it('counts from the beginning of its last attempt, when its worker died', async () => {
    const { noteAt, age } = waiting({ attemptsMade: 1, processedOn: NOW - 90_000 });
    noteAt(NOW - 200_000);
    expect(await age()).toBe(90_000);
  });

  it.each([
    ['retried it', { attemptsMade: 1 }],
    ['promoted it before it was due', { delay: 8 * 24 * 3_600_000 }],
  ])('counts from when it was first seen, after an operator has %s', async (_, fields) => {
    const { job, pass, age } = waiting(fields);
    expect(await age()).toBe(0);
    pass(40_000);
    expect(await age()).toBe(40_000);
    job.attemptsMade += 1;
    expect(await age()).toBe(0);
  });
});
