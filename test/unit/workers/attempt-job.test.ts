import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineQueue } from '#queues/queue.ts';
import { GiveUp, RetryLater } from '#src/platform/errors.ts';
import { createMetrics } from '#src/platform/metrics.ts';
import { NO_TRACING } from '#src/platform/tracing.ts';
import type { Services } from '#src/services.ts';
import {
  attemptJob,
  type JobContext,
  type JobFacts,
  type Outcome,
  ShutdownError,
} from '#workers/attempt-job.ts';

const queue = defineQueue({
  name: 'row-work',
  payload: z.object({ row: z.int() }),
  attempts: 5,
  timeoutMs: 1_000,
});
const readable = { payload: { row: 1 }, requestId: 'request-9' };

interface Attempt {
  outcome: Outcome;
  lines: Record<string, unknown>[];
  again: unknown[];
  metrics: string;
}

async function attempt(
  handle: (job: JobContext) => Promise<JobFacts | void>,
  options: {
    everyMs?: number;
    data?: unknown;
    attemptsMade?: number;
    attempts?: number;
    abort?: AbortController;
    storeIsAway?: boolean;
  } = {},
): Promise<Attempt> {
  const lines: Record<string, unknown>[] = [];
  const again: unknown[] = [];
  const metrics = createMetrics();
  const services = {
    log: pino(
      { level: 'debug' },
      { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    ),
    metrics,
    tracing: NO_TRACING,
    producer: {
      enqueueAgain: async (...given: unknown[]) => {
        if (options.storeIsAway === true) throw new Error('queue store is away');
        again.push(given.slice(1));
      },
    },
    // The attempt uses no other services.
  } as unknown as Services;
  const outcome = await attemptJob(
    {
      queue: { ...queue, everyMs: options.everyMs ?? null },
      handle: async (_services, _payload, job) => handle(job),
    },
    services,
    {
      id: 'job-1',
      data: 'data' in options ? options.data : readable,
      attemptsMade: options.attemptsMade ?? 0,
      attempts: options.attempts ?? 5,
    },
    options.abort ?? new AbortController(),
  );
  return { outcome, lines, again, metrics: await metrics.text() };
}

describe('attemptJob', () => {
  it('gives up an outdated payload and logs the field, not its value', async () => {
    const { outcome, lines } = await attempt(async () => {}, {
      data: { payload: { row: 'hunter2' }, requestId: null },
    });
    expect(outcome.kind).toBe('gave-up');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ queue: 'row-work', jobId: 'job-1', outcome: 'gave-up' });
    expect(lines[0]?.['error']).toContain('row: ');
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('logs one line with everything an operator needs, and counts it', async () => {
    const { lines, metrics } = await attempt(async () => {}, { attemptsMade: 1 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      queue: 'row-work',
      jobId: 'job-1',
      attempt: 2,
      requestId: 'request-9',
      outcome: 'completed',
    });
    expect(lines[0]?.['durationMs']).toBeTypeOf('number');
    expect(metrics).toContain(
      'millrace_job_duration_seconds_count{queue="row-work",outcome="completed"} 1',
    );
  });

  it('logs scheduled work without results as debug, and everything else as info', async () => {
    const levelOf = async (facts: JobFacts | undefined, everyMs?: number) => {
      const { lines } = await attempt(async () => facts, everyMs === undefined ? {} : { everyMs });
      return lines.map(({ level }) => level);
    };
    expect(await levelOf(undefined, 10_000)).toEqual([20]);
    expect(await levelOf({ events: 0, last: null }, 10_000)).toEqual([20]);
    expect(await levelOf({ events: 1, last: null }, 10_000)).toEqual([30]);
    expect(await levelOf({ events: 0 })).toEqual([30]);
  });

  it('retries a thrown error until the last attempt', async () => {
    const fail = async (): Promise<void> => {
      throw new Error('no luck');
    };
    expect((await attempt(fail, { attemptsMade: 3 })).outcome.kind).toBe('retry');
    expect((await attempt(fail, { attemptsMade: 4 })).outcome.kind).toBe('failed');
  });

  it('replaces a job that comes back later with a fresh one that has the remaining attempts', async () => {
    const { outcome, again } = await attempt(
      async () => {
        throw new RetryLater(30_000, 'embedder is busy');
      },
      { attemptsMade: 2 },
    );
    expect(outcome.kind).toBe('later');
    expect(again).toEqual([[readable, { delayMs: 30_000, attempts: 3 }]]);
  });

  it('continues the attempt count of the job it replaces', async () => {
    let seen: JobContext | null = null;
    await attempt(
      async (job) => {
        seen = job;
      },
      { attempts: 3, attemptsMade: 2 },
    );
    expect(seen).toMatchObject({ attempt: 5, lastAttempt: true });
  });

  it('retries normally when the store rejects the fresh job', async () => {
    const { outcome } = await attempt(
      async () => {
        throw new RetryLater(30_000, 'embedder is busy');
      },
      { storeIsAway: true },
    );
    expect(outcome).toMatchObject({ kind: 'retry', error: { message: 'queue store is away' } });
  });

  it('gives up when the handler does, even during a shutdown', async () => {
    const abort = new AbortController();
    const { outcome } = await attempt(
      async () => {
        abort.abort(new ShutdownError('stopping'));
        throw new GiveUp('the row is gone');
      },
      { abort },
    );
    expect(outcome.kind).toBe('gave-up');
  });

  it('returns a job during a shutdown, whatever the handler throws then', async () => {
    const abort = new AbortController();
    const { outcome } = await attempt(
      async () => {
        abort.abort(new ShutdownError('stopping'));
        throw new Error('socket closed');
      },
      { abort },
    );
    expect(outcome.kind).toBe('aborted');
  });

  it('does not start a job that arrives during a shutdown', async () => {
    const abort = new AbortController();
    abort.abort(new ShutdownError('stopping'));
    let called = false;
    const { outcome } = await attempt(
      async () => {
        called = true;
      },
      { abort },
    );
    expect(outcome.kind).toBe('aborted');
    expect(called).toBe(false);
  });

  it('completes when the handler finishes despite the abort', async () => {
    const abort = new AbortController();
    const { outcome } = await attempt(
      async () => {
        abort.abort(new ShutdownError('stopping'));
      },
      { abort },
    );
    expect(outcome.kind).toBe('completed');
  });

  it('ends even if the handler ignores its timeout', async () => {
    const { outcome } = await attempt(async () => new Promise(() => {}));
    expect(outcome.kind).toBe('retry');
    expect(outcome).toMatchObject({ error: { message: 'row-work took longer than 1000 ms.' } });
  });

  it('survives a handler that throws synchronously or throws a non-error', async () => {
    const { outcome } = await attempt(() => {
      throw new TypeError('not a function');
    });
    expect(outcome).toMatchObject({ kind: 'retry', error: { message: 'not a function' } });
    // oxlint-disable-next-line prefer-promise-reject-errors -- what a careless library does
    const odd = await attempt(async () => Promise.reject('text'));
    expect(odd.outcome).toMatchObject({ kind: 'retry', error: { message: 'text' } });
  });
});
