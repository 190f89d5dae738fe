import { z } from 'zod';
import { QUEUES } from '#queues/index.ts';
import { operatorOf } from '#src/api/operator.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { listActions, listActors } from '#src/operations/audit.ts';
import { cursorSchema, PAGE, pageOf } from '#src/operations/cursor.ts';
import { alarmSchema, runningJobSchema } from '#src/operations/present-queue.ts';
import { beginOf, rangeSchema } from '#src/operations/range.ts';
import { listRepairs } from '#src/operations/repairs.ts';
import { runSchedule } from '#src/operations/schedules.ts';
import { alarmsBody, schedulesBody, workersBody } from './operations-bodies.ts';

const OPERATIONS = { tag: 'Operations', family: 'platform' } as const;
const READ = { ...OPERATIONS, scope: 'operator-read' } as const;
const timestamp = z.iso.datetime();

export const operationsRoutes: Route[] = [
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/workers',
    summary: 'The processes with workers, and what each does',
    description:
      'As of their last heartbeat, every 10 seconds. Those that died stay for an hour; at most 500.',
    reply: z.object({
      at: timestamp,
      beat_seconds: z.number(),
      workers: z.array(
        z.object({
          id: z.string(),
          host: z.string(),
          pid: z.int(),
          version: z.string(),
          started_at: timestamp,
          beat_at: timestamp,
          alive: z.boolean(),
          queues: z.array(z.object({ name: z.string(), concurrency: z.int(), active: z.int() })),
          jobs: z.array(runningJobSchema).describe('At most 50, longest first.'),
        }),
      ),
      unserved: z.array(z.string()).describe('Queues without a living worker.'),
    }),
    handle: ({ services }) => workersBody(services),
  }),
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/schedules',
    summary: 'The scheduled queues, when each runs next and ran last',
    reply: z.object({
      schedules: z.array(
        z.object({
          name: z.string(),
          does: z.string(),
          every_seconds: z.number(),
          next_at: timestamp.nullable(),
          last_at: timestamp.nullable().describe('When a run ended last.'),
          running: z.boolean().describe('As of the last heartbeat.'),
          paused: z.boolean(),
        }),
      ),
    }),
    handle: ({ services }) => schedulesBody(services),
  }),
  defineRoute({
    ...OPERATIONS,
    scope: 'bootstrap-admin',
    method: 'POST',
    path: '/operations/schedules/{name}/run',
    status: 202,
    summary: 'Run a scheduled queue now',
    description:
      'Beside its schedule, which does not move. While the queue is paused, the run waits.',
    params: z.object({ name: z.string() }),
    body: z.object({}).optional(),
    reply: z.object({ name: z.string(), paused: z.boolean() }),
    async handle({ services, principal, params, requestId }) {
      const operator = await operatorOf(services, principal, requestId);
      return runSchedule(services, operator, params.name);
    },
  }),
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/alarms',
    summary: 'Alarms, newest first',
    query: z.object({ state: z.enum(['open', 'all']).default('open'), cursor: cursorSchema }),
    reply: z.object({ alarms: z.array(alarmSchema), next_cursor: z.string().nullable() }),
    handle: ({ services, query }) =>
      alarmsBody(services, { isOpen: query.state === 'open', before: query.cursor ?? null }),
  }),
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/repairs',
    summary: 'Rows that lost their job and were sent again by reconcile',
    query: z.object({ range: rangeSchema }),
    reply: z.object({
      totals: z.array(z.object({ queue: z.string(), rows: z.int(), last_at: timestamp })),
      repairs: z
        .array(z.object({ at: timestamp, queue: z.string(), rows: z.int() }))
        .describe('The latest 500, newest first.'),
    }),
    async handle({ services, query }) {
      const { totals, repairs } = await listRepairs(
        services.db,
        beginOf(query.range, services.clock()),
      );
      return {
        totals: totals.map(({ lastAt, ...total }) => ({ ...total, last_at: lastAt.toISOString() })),
        repairs: repairs.map(({ minute, ...repair }) => ({
          ...repair,
          at: minute.toISOString(),
        })),
      };
    },
  }),
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/audit',
    summary: 'What operators did, newest first',
    query: z.object({
      queue: z.string().max(60).optional(),
      user_id: z.uuid().optional().describe('Only what this user account did.'),
      cursor: cursorSchema,
    }),
    reply: z.object({
      actions: z.array(
        z.object({
          id: z.string(),
          at: timestamp,
          by: z.object({
            user_id: z.string().nullable(),
            name: z.string(),
            key_id: z.string().nullable(),
          }),
          action: z.string(),
          queue: z.string().nullable(),
          detail: z.record(z.string(), z.unknown()),
          request_id: z.string().nullable(),
        }),
      ),
      actors: z
        .array(z.object({ user_id: z.string(), name: z.string() }))
        .describe('Who has acted so far, at most 200.'),
      queues: z.array(z.string()).describe('Of all queues, to choose one.'),
      next_cursor: z.string().nullable(),
    }),
    async handle({ services, query }) {
      const rows = await listActions(services.db, {
        queue: query.queue ?? null,
        userId: query.user_id ?? null,
        before: query.cursor ?? null,
        limit: PAGE + 1,
      });
      const { page, nextCursor } = pageOf(rows);
      return {
        actions: page.map((row) => ({
          id: String(row.id),
          at: row.created_at.toISOString(),
          by: { user_id: row.user_id, name: row.user_name, key_id: row.api_key_id },
          action: row.action,
          queue: row.queue,
          detail: row.detail,
          request_id: row.request_id,
        })),
        actors: await listActors(services.db),
        queues: QUEUES.map(({ name }) => name),
        next_cursor: nextCursor,
      };
    },
  }),
];
