// @module-tag database
// @module-tag queues
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openProducer, type Producer } from '#queues/producer.ts';
import { defineQueue, type QueueDefinition } from '#queues/queue.ts';
import { GiveUp, RetryLater } from '#src/platform/errors.ts';
import { createJobHistory } from '#src/operations/job-history.ts';
import { createMetrics } from '#src/platform/metrics.ts';
import { NO_TRACING } from '#src/platform/tracing.ts';
import type { Services } from '#src/services.ts';
import {
  failedJobs,
  queueOf,
  succeeds,
  untilAborted,
  untilFailed,
  untilIdle,
} from '#test/support/queue-polls.ts';
import { openQueueStore, type QueueStore, testedSizes } from '#test/support/queue-stores.ts';
import { untilRecovered } from '#test/support/until.ts';
import type { JobContext } from '#workers/attempt-job.ts';
import { defineWorker, type RunningWorker, startWorker } from '#workers/worker.ts';

const payload = z.object({ row: z.int() });

const work = defineQueue({ name: 'test-work', payload, backoffMs: 20, timeoutMs: 5_000 });
const keyed = defineQueue({ name: 'test-keyed', payload, key: ({ row }) => `row-${row}` });
const quick = defineQueue({ name: 'test-quick', payload, attempts: 1, timeoutMs: 200 });
const once = defineQueue({ name: 'test-once', payload, attempts: 1, timeoutMs: 200_000 });
const resumable = defineQueue({ ...once, name: 'test-resumable', isResumable: true });
const ticking = defineQueue({ name: 'test-ticking', payload: z.object({}), everyMs: 300 });
const QUEUES = [work, keyed, quick, once, resumable, ticking];
describe.each(testedSizes)('the queue runtime, %s', (size) => {
  let store: QueueStore;
  let producer: Producer;
  let running: RunningWorker[] = [];

  beforeAll(async () => {
    store = await openQueueStore(size);
    producer = await openProducer(store.backend, QUEUES);
  });

  afterEach(async () => {
    await Promise.all(running.map(async (worker) => worker.close(0)));
    running = [];
  });

  afterAll(async () => {
    await producer.close();
    await store.remove();
  });

  function services(): Services {
    // A worker receives all services; the handlers of these tests use none of the others.
    return {
      log: pino({ level: 'silent' }),
      metrics: createMetrics(),
      tracing: NO_TRACING,
      jobHistory: createJobHistory(() => new Date(), new Set()),
      queueBackend: store.backend,
      producer,
    } as unknown as Services;
  }

  function run<P>(
    queue: QueueDefinition<P>,
    handle: (payload: P, job: JobContext) => Promise<void>,
    concurrency = 1,
  ): RunningWorker {
    const definition = defineWorker(queue, async (_services, given, job) => handle(given, job));
    const worker = startWorker(definition, services(), concurrency);
    running.push(worker);
    return worker;
  }

  it('runs a job and passes its request id', async () => {
    const seen = Promise.withResolvers<[{ row: number }, string | null]>();
    run(work, async (given, job) => seen.resolve([given, job.requestId]));
    await producer.enqueue(work, { row: 1 }, { requestId: 'request-1' });
    expect(await seen.promise).toEqual([{ row: 1 }, 'request-1']);
  });

  it('fails an outdated job whose payload it cannot parse, without a second attempt', async () => {
    const before = await failedJobs(producer, work);
    let calls = 0;
    run(work, async () => {
      calls += 1;
    });
    await queueOf(producer, work).add('test-work', { id: 7 }, { attempts: 3 });
    const [job] = await untilFailed(producer, work, before + 1);
    expect(job?.attemptsMade).toBe(1);
    expect(job?.failedReason).toContain('payload');
    expect(calls).toBe(0);
  });

  it('retries a thrown error after a backoff and fails the job after the last attempt', async () => {
    const before = await failedJobs(producer, work);
    const attempts: [number, boolean][] = [];
    run(work, async (_given, job) => {
      attempts.push([job.attempt, job.lastAttempt]);
      throw new Error('no luck');
    });
    await producer.enqueue(work, { row: 2 });
    const [job] = await untilFailed(producer, work, before + 1);
    expect(attempts).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
    expect(job?.failedReason).toBe('no luck');
  });

  it('does not retry a job that the handler gave up', async () => {
    const before = await failedJobs(producer, work);
    let calls = 0;
    run(work, async () => {
      calls += 1;
      throw new GiveUp('the row is gone');
    });
    await producer.enqueue(work, { row: 3 });
    const [job] = await untilFailed(producer, work, before + 1);
    expect(job?.failedReason).toBe('the row is gone');
    expect(calls).toBe(1);
  });

  it('comes back later without using up an attempt', async () => {
    const attempts: number[] = [];
    const done = Promise.withResolvers<void>();
    run(work, async (_given, job) => {
      attempts.push(job.attempt);
      if (attempts.length === 1) throw new Error('first attempt fails');
      if (attempts.length <= 4) throw new RetryLater(30, 'busy');
      done.resolve();
    });
    await producer.enqueue(work, { row: 4 });
    await done.promise;
    expect(attempts).toEqual([1, 2, 2, 2, 2]);
  });

  it('runs once more for jobs enqueued while their twin was active, with the last of them', async () => {
    const release = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const seen: (string | null)[] = [];
    run(keyed, async (_given, job) => {
      seen.push(job.requestId);
      if (seen.length === 2) second.resolve();
      started.resolve();
      await release.promise;
    });
    await producer.enqueue(keyed, { row: 1 }, { requestId: 'first' });
    await started.promise;
    await producer.enqueue(keyed, { row: 1 }, { requestId: 'edit-1' });
    await producer.enqueue(keyed, { row: 1 }, { requestId: 'edit-2' });
    release.resolve();
    await second.promise;
    await untilIdle(producer, keyed);
    expect(seen).toEqual(['first', 'edit-2']);
  });

  it('aborts an attempt at its deadline and counts it as failed', async () => {
    const aborted = Promise.withResolvers<unknown>();
    run(quick, async (_given, { signal }) => {
      await untilAborted(signal);
      aborted.resolve(signal.reason);
      signal.throwIfAborted();
    });
    await producer.enqueue(quick, { row: 1 });
    expect(String(await aborted.promise)).toContain('longer than 200 ms');
    const [job] = await untilFailed(producer, quick, 1);
    expect(job?.failedReason).toContain('longer than 200 ms');
  });

  it('finishes an active job when it closes in time', async () => {
    const started = Promise.withResolvers<void>();
    let finished = false;
    const worker = run(once, async () => {
      started.resolve();
      await setTimeout(200);
      finished = true;
    });
    await producer.enqueue(once, { row: 1 });
    await started.promise;
    await worker.close(60_000);
    expect(finished).toBe(true);
    expect((await producer.counts(once))['active']).toBe(0);
  });

  it.each([
    ['its handler hands it back', once, 100],
    ['its handler ignores the abort', once, 100],
    ['it is resumable and the deadline far away', resumable, 600_000],
  ] as const)(
    'passes an interrupted job to the next worker, without using up an attempt, when %s',
    async (manner, queue, deadlineMs) => {
      const started = Promise.withResolvers<void>();
      const first = run(queue, async (_given, { signal }) => {
        started.resolve();
        await untilAborted(signal);
        if (manner.endsWith('ignores the abort')) await new Promise(() => {});
        signal.throwIfAborted();
      });
      await producer.enqueue(queue, { row: 2 });
      await started.promise;
      await first.close(deadlineMs);
      expect((await producer.counts(queue))['waiting']).toBe(1);
      const second = Promise.withResolvers<number>();
      run(queue, async (_given, { attempt }) => second.resolve(attempt));
      expect(await second.promise).toBe(1);
      await untilIdle(producer, queue);
      expect((await producer.counts(queue))['failed']).toBe(0);
    },
  );

  it('runs a schedule, and restores it when the store has lost it', async () => {
    await producer.syncSchedules();
    await producer.syncSchedules();
    expect(await queueOf(producer, ticking).getJobSchedulersCount()).toBe(1);
    await ticks(2);
    await queueOf(producer, ticking).obliterate({ force: true });
    expect(await queueOf(producer, ticking).getJobSchedulersCount()).toBe(0);
    await producer.syncSchedules();
    await ticks(2);
    await queueOf(producer, ticking).removeJobScheduler(ticking.name);
  });

  async function ticks(count: number): Promise<void> {
    const enough = Promise.withResolvers<void>();
    let seen = 0;
    const worker = run(ticking, async () => {
      seen += 1;
      if (seen >= count) enough.resolve();
    });
    await enough.promise;
    await worker.close(1_000);
  }

  it('removes a schedule that its queue no longer has', async () => {
    await queueOf(producer, work).upsertJobScheduler('yesterday', { every: 60_000 });
    await producer.syncSchedules();
    expect(await queueOf(producer, work).getJobSchedulersCount()).toBe(0);
    await queueOf(producer, ticking).removeJobScheduler(ticking.name);
    await queueOf(producer, work).drain(true);
  });

  it('reports depth and the age of the oldest waiting job', async () => {
    expect(await producer.oldestWaitingAgeMs(once)).toBeNull();
    await producer.enqueueMany(once, [{ row: 10 }, { row: 11 }]);
    await setTimeout(50);
    await producer.enqueue(once, { row: 12 }, { delayMs: 60_000 });
    expect(await producer.oldestWaitingAgeMs(once)).toBeGreaterThanOrEqual(40);
    expect(await producer.counts(once)).toMatchObject({ waiting: 2, delayed: 1 });
    await queueOf(producer, once).drain(true);
  });

  describe('the age of a job that was added a week ago', () => {
    const WEEK_MS = 7 * 24 * 3_600_000;
    const addOld = async (queue: typeof work, row: number, attempts: number) => {
      const data = { payload: { row }, requestId: null };
      const timestamp = Date.now() - WEEK_MS;
      return queueOf(producer, queue).add(queue.name, data, { attempts, timestamp });
    };

    it('counts from then while it was never taken', async () => {
      await addOld(once, 20, 1);
      expect(await producer.oldestWaitingAgeMs(once)).toBeGreaterThanOrEqual(WEEK_MS);
      await queueOf(producer, once).drain(true);
    });

    it('counts from when it was first seen waiting, after an operator has retried it', async () => {
      const before = await failedJobs(producer, once);
      const worker = run(once, () => Promise.reject(new Error('no luck')));
      await addOld(once, 21, 1);
      const [job] = await untilFailed(producer, once, before + 1);
      await worker.close(1_000);
      await job?.retry('failed');
      const age = async () => producer.oldestWaitingAgeMs(once);
      const first = await age();
      expect(first).toBeLessThan(WEEK_MS / 2);
      await expect.poll(age).toBeGreaterThan(first ?? Infinity);
      await queueOf(producer, once).drain(true);
    });

    it('counts from the end of its last attempt, after that one failed', async () => {
      const attempts: number[] = [];
      const worker = run(work, async (_given, { attempt }) => {
        attempts.push(attempt);
        if (attempt > 1) return;
        worker.pause();
        throw new Error('no luck');
      });
      await addOld(work, 22, 3);
      await expect.poll(() => attempts).toEqual([1]);
      await expect.poll(async () => producer.counts(work)).toMatchObject({ waiting: 1, active: 0 });
      expect(await producer.oldestWaitingAgeMs(work)).toBeLessThan(WEEK_MS / 2);
      worker.resume();
      await expect.poll(() => attempts).toEqual([1, 2]);
    });
  });

  it('answers while the store is unavailable, and continues when it is back', async () => {
    if (store.proxy === null) return;
    const done = new Set<number>();
    run(work, async ({ row }) => void done.add(row), 4);
    await producer.enqueue(work, { row: 100 });
    await expect.poll(() => done.has(100)).toBe(true);
    await store.proxy.down();
    await expect(producer.enqueue(work, { row: 101 })).rejects.toThrow();
    await expect(producer.ping()).rejects.toThrow();
    await store.proxy.up();
    await expect.poll(async () => succeeds(producer.enqueue(work, { row: 102 }))).toBe(true);
    // A job fetched when the connection broke waits until its lease expires.
    await untilRecovered(async () => done.has(102));
    await producer.ping();
  }, 120_000);

  it('closes within its time limit while the store is unavailable', async () => {
    if (!store.proxy) return;
    const started = Promise.withResolvers<void>();
    const worker = run(once, async (_given, { signal }) => {
      started.resolve();
      await untilAborted(signal);
      signal.throwIfAborted();
    });
    await producer.enqueue(once, { row: 20 });
    await started.promise;
    await store.proxy.down();
    await worker.close(100);
    await store.proxy.up();
  });

  it('continues after the store was emptied', async () => {
    await expect.poll(async () => succeeds(producer.ping())).toBe(true);
    const done = new Set<number>();
    run(work, async ({ row }) => void done.add(row));
    await producer.enqueue(work, { row: 200 });
    await expect.poll(() => done.has(200)).toBe(true);
    await store.empty();
    await producer.enqueue(work, { row: 201 });
    await expect.poll(() => done.has(201)).toBe(true);
  });
});
