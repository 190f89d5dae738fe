import { z } from 'zod';
import { operatorOf } from '#src/api/operator.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { PAGE } from '#src/operations/cursor.ts';
import { discardFailures } from '#src/operations/discard-failures.ts';
import { groupFailedJobs, listFailedJobs } from '#src/operations/failed-jobs.ts';
import { groupFailures, isFailingQueue, listFailures } from '#src/operations/failures.ts';
import {
  failureGroupSchema,
  failureSchema,
  presentFailures,
} from '#src/operations/present-failure.ts';
import { queueNamed } from '#src/operations/jobs.ts';
import { beginOf, rangeSchema } from '#src/operations/range.ts';
import { MAX_RETRIED, retryFailures, whyNotRetryable } from '#src/operations/retry-failures.ts';
import type { Services } from '#src/services.ts';

const OPERATIONS = { tag: 'Operations', family: 'platform' } as const;
const READ = { ...OPERATIONS, scope: 'operator-read' } as const;

const oneQueue = z.object({ queue: z.string() });
const group = z.string().regex(/^[0-9a-f]{32}$/, 'must be the group of a listed group');
/** Rows that are newer than a page are not on later ones, so a page may begin behind so many. */
const MAX_OFFSET = 100_000;

export const operationsFailureRoutes: Route[] = [
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/queues/{queue}/failures',
    summary: 'What failed in a queue, by error',
    description:
      'The largest group first, at most 100. Of scheduled queues the failed jobs are read, at most the latest 1,000.',
    params: oneQueue,
    query: z.object({ range: rangeSchema }),
    reply: z.object({
      range: z.string(),
      total: z.int(),
      retryable: z.boolean(),
      why_not: z.string().nullable(),
      groups: z.array(failureGroupSchema),
      other_groups: z.int().describe('Left out of the list.'),
    }),
    async handle({ services, params, query }) {
      queueNamed(params.queue);
      const since = beginOf(query.range, services.clock());
      const whyNot = whyNotRetryable(params.queue);
      const found = await groupsOf(services, params.queue, since);
      return { range: query.range, retryable: whyNot === null, why_not: whyNot, ...found };
    },
  }),
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/queues/{queue}/failures/{group}',
    summary: 'The failures of a group, newest first',
    params: z.object({ queue: z.string(), group }),
    query: z.object({
      range: rangeSchema,
      cursor: z.coerce.number().int().min(0).max(MAX_OFFSET).default(0),
    }),
    reply: z.object({ failures: z.array(failureSchema), next_cursor: z.string().nullable() }),
    async handle({ services, params, query }) {
      const { queue } = params;
      queueNamed(queue);
      const since = beginOf(query.range, services.clock());
      const rows = isFailingQueue(queue)
        ? await listFailures(
            services.db,
            queue,
            { since, group: params.group, id: null },
            { order: 'desc', limit: PAGE + 1, offset: query.cursor },
          )
        : (await listFailedJobs(services, queueNamed(queue), since))
            .filter((job) => job.group === params.group)
            .slice(query.cursor, query.cursor + PAGE + 1);
      return {
        failures: await presentFailures(services.db, queue, rows.slice(0, PAGE)),
        next_cursor: rows.length > PAGE ? String(query.cursor + PAGE) : null,
      };
    },
  }),
  defineRoute({
    ...OPERATIONS,
    scope: 'bootstrap-admin',
    method: 'POST',
    path: '/operations/queues/{queue}/failures/retry',
    summary: 'Try failures again: one, some of a group, a group, or all of a time',
    description:
      'count is how many you have seen: when there are more by now, nothing is done and the answer is 409. The oldest go first. left says how many are still to do, since one request retries at most 10,000.',
    params: oneQueue,
    body: z
      .object({
        range: rangeSchema,
        group: group.nullish().describe('Null for all in the range.'),
        id: z.string().max(100).nullish().describe('One failure, instead of a group.'),
        count: z.int().min(1).max(1_000_000_000),
        limit: z.int().min(1).max(MAX_RETRIED).default(MAX_RETRIED),
      })
      .refine((body) => !body.id || !body.group, 'Give a group or an id, not both.'),
    reply: z.object({
      retried: z.int(),
      skipped: z.int(),
      left: z.int(),
      why_skipped: z.array(z.string()),
    }),
    errors: ['CONFLICT'],
    async handle({ services, principal, params, body, requestId }) {
      queueNamed(params.queue);
      const outcome = await retryFailures(
        services,
        await operatorOf(services, principal, requestId),
        {
          queue: params.queue,
          choice: {
            since: beginOf(body.range, services.clock()),
            group: body.group ?? null,
            id: body.id ?? null,
          },
          expected: body.count,
          limit: body.limit,
        },
      );
      const { whySkipped, ...counts } = outcome;
      return { ...counts, why_skipped: whySkipped };
    },
  }),
  defineRoute({
    ...OPERATIONS,
    scope: 'bootstrap-admin',
    method: 'POST',
    path: '/operations/queues/{queue}/failures/discard',
    summary: 'Discard failures: one, a group, or all in a range',
    description:
      'They no longer count as failures for operators. The rows are unchanged for their owners, and count again if they fail again; failed jobs without a row are deleted. count is the number that you saw: if there are more by now, nothing is done and the answer is 409. The oldest go first, at most 10,000 per request.',
    params: oneQueue,
    body: z
      .object({
        range: rangeSchema,
        group: group.nullish().describe('Null for all in the range.'),
        id: z.string().max(100).nullish().describe('One failure, instead of a group.'),
        count: z.int().min(1).max(1_000_000_000),
      })
      .refine((body) => !body.id || !body.group, 'Give a group or an id, not both.'),
    reply: z.object({ discarded: z.int(), left: z.int() }),
    errors: ['CONFLICT'],
    async handle({ services, principal, params, body, requestId }) {
      queueNamed(params.queue);
      const operator = await operatorOf(services, principal, requestId);
      const choice = {
        since: beginOf(body.range, services.clock()),
        group: body.group ?? null,
        id: body.id ?? null,
      };
      return discardFailures(services, operator, {
        queue: params.queue,
        choice,
        expected: body.count,
      });
    },
  }),
];

async function groupsOf(services: Services, queue: string, since: Date) {
  const { total, otherGroups, groups } = isFailingQueue(queue)
    ? await groupFailures(services.db, queue, since)
    : await groupsOfJobs(services, queue, since);
  const examples = await presentFailures(
    services.db,
    queue,
    groups.map(({ example }) => example),
  );
  return {
    total,
    other_groups: otherGroups,
    groups: groups.flatMap(({ group, message, count, ...times }, index) => {
      const example = examples[index];
      const [first_at, last_at] = [times.first_at.toISOString(), times.last_at.toISOString()];
      return example ? [{ group, message, count, first_at, last_at, example }] : [];
    }),
  };
}

async function groupsOfJobs(services: Services, queue: string, since: Date) {
  const jobs = await listFailedJobs(services, queueNamed(queue), since);
  return { total: jobs.length, otherGroups: 0, groups: groupFailedJobs(jobs) };
}
