// @module-tag database
// @module-tag queues
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openProducer } from '#queues/producer.ts';
import { defineQueue } from '#queues/queue.ts';
import { createJobHistory } from '#src/operations/job-history.ts';
import { createMetrics } from '#src/platform/metrics.ts';
import { NO_TRACING } from '#src/platform/tracing.ts';
import type { Services } from '#src/services.ts';
import { succeeds } from '#test/support/queue-polls.ts';
import { openQueueStore, testedSizes } from '#test/support/queue-stores.ts';
import { defineWorker, startWorker } from '#workers/worker.ts';

const work = defineQueue({ name: 'test-away', payload: z.object({ row: z.int() }) });
const sizes = testedSizes.filter((size) => size !== 'embedded');

describe.skipIf(sizes.length === 0)(
  'a worker that starts while the queue store is unavailable (needs TEST_DATABASE_URL)',
  () => {
    it.each(sizes)('begins to work when it is back, %s', async (size) => {
      await using opened = new AsyncDisposableStack();
      const store = await openQueueStore(size);
      opened.defer(async () => store.remove());
      const producer = await openProducer(store.backend, [work]);
      opened.defer(async () => producer.close());
      const done = new Set<number>();
      const definition = defineWorker(work, async (_services, { row }) => void done.add(row));
      const services = {
        log: pino({ level: 'silent' }),
        metrics: createMetrics(),
        tracing: NO_TRACING,
        jobHistory: createJobHistory(() => new Date(), new Set()),
      };
      await store.proxy?.down();
      // A worker receives all services; the handler of this test uses none of the others.
      const handed = { ...services, queueBackend: store.backend, producer } as unknown as Services;
      const worker = startWorker(definition, handed);
      opened.defer(async () => worker.close(0));
      // The worker has already tried to connect by this time.
      await expect(producer.ping()).rejects.toThrow();
      await store.proxy?.up();
      await expect.poll(async () => succeeds(producer.enqueue(work, { row: 1 }))).toBe(true);
      await expect.poll(() => done.has(1)).toBe(true);
    });
  },
);
