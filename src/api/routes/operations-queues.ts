import { z } from 'zod';
import { operatorOf } from '#src/api/operator.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { pauseQueue, resumeQueue } from '#src/operations/pauses.ts';
import {
  historySchema,
  pauseSchema,
  presentHistory,
  presentPause,
  queueSchema,
  runningJobSchema,
} from '#src/operations/present-queue.ts';
import { queueNamed } from '#src/operations/jobs.ts';
import { queueHistory } from '#src/operations/queue-history.ts';
import { rangeSchema } from '#src/operations/range.ts';
import { queueBody, queuesBody } from './operations-bodies.ts';

const OPERATIONS = { tag: 'Operations', family: 'platform' } as const;
const READ = { ...OPERATIONS, scope: 'operator-read' } as const;
const ACT = { ...OPERATIONS, scope: 'bootstrap-admin' } as const;

const oneQueue = z.object({ queue: z.string() });
const ofRange = z.object({ range: rangeSchema });

export const operationsQueueRoutes: Route[] = [
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/queues',
    summary: 'Every queue: what waits, how fast it goes, who works on it, what is wrong',
    query: ofRange,
    reply: z.object({
      at: z.iso.datetime(),
      range: z.string(),
      queues: z.array(queueSchema),
    }),
    handle: ({ services, query }) => queuesBody(services, query.range),
  }),
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/queues/{queue}',
    summary: 'One queue with its history and the jobs that run',
    params: oneQueue,
    query: ofRange,
    reply: queueSchema.extend({
      at: z.iso.datetime(),
      history: historySchema,
      active_jobs: z.array(runningJobSchema.extend({ worker_id: z.string() })),
      settings: z.object({
        attempts: z.int(),
        timeout_seconds: z.number(),
        every_seconds: z.number().nullable(),
        concurrency: z.int().describe('Of one process, without settings.'),
      }),
    }),
    handle: ({ services, params, query }) => queueBody(services, params.queue, query.range),
  }),
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/queues/{queue}/history',
    summary: 'What a queue did, step by step',
    params: oneQueue,
    query: ofRange,
    reply: historySchema,
    async handle({ services, params, query }) {
      queueNamed(params.queue);
      return presentHistory(await queueHistory(services, params.queue, query.range));
    },
  }),
  defineRoute({
    ...ACT,
    method: 'POST',
    path: '/operations/queues/{queue}/pause',
    summary: 'Let the workers of a queue take no more jobs',
    description:
      'In force everywhere within seconds, until it is resumed, through restarts. Jobs that are active finish. Pausing a paused queue changes nothing and answers who paused it.',
    params: oneQueue,
    body: z.object({ reason: z.string().trim().max(500).nullish() }),
    reply: z.object({ paused: pauseSchema }),
    async handle({ services, principal, params, body, requestId }) {
      queueNamed(params.queue);
      const operator = await operatorOf(services, principal, requestId);
      const reason = body.reason ? body.reason : null;
      const pause = await pauseQueue(services.db, operator, { queue: params.queue, reason });
      await services.pauseSignal.changed();
      return { paused: presentPause(pause) };
    },
  }),
  defineRoute({
    ...ACT,
    method: 'POST',
    path: '/operations/queues/{queue}/resume',
    summary: 'Let the workers of a queue go on',
    params: oneQueue,
    body: z.object({}).optional(),
    reply: z.object({ paused: z.null() }),
    async handle({ services, principal, params, requestId }) {
      queueNamed(params.queue);
      await resumeQueue(
        services.db,
        await operatorOf(services, principal, requestId),
        params.queue,
      );
      await services.pauseSignal.changed();
      return { paused: null };
    },
  }),
];
