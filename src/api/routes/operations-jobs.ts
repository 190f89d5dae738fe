import { z } from 'zod';
import { JOB_STATES } from '#queues/read-jobs.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { PAGE } from '#src/operations/cursor.ts';
import { listJobs } from '#src/operations/jobs.ts';
import { jobDetailSchema, jobSchema, presentJob } from '#src/operations/present-job.ts';
import { resolveSubjects } from '#src/operations/resolve-subjects.ts';
import { jobBody } from './operations-bodies.ts';

const READ = { tag: 'Operations', family: 'platform', scope: 'operator-read' } as const;
/** The store keeps fewer finished jobs, and nobody pages through more waiting ones. */
const MAX_OFFSET = 100_000;

export const operationsJobRoutes: Route[] = [
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/queues/{queue}/jobs',
    summary: 'The jobs of a queue in a state',
    description:
      'The next to run first, or the latest finished first. Finished jobs are kept for an hour, failed ones for a week.',
    params: z.object({ queue: z.string() }),
    query: z.object({
      state: z.enum(JOB_STATES).default('active'),
      cursor: z.coerce.number().int().min(0).max(MAX_OFFSET).default(0),
    }),
    reply: z.object({
      state: z.enum(JOB_STATES),
      total: z.int(),
      jobs: z.array(jobSchema),
      next_cursor: z.string().nullable(),
    }),
    async handle({ services, params: { queue }, query: { state, cursor } }) {
      const { jobs, total } = await listJobs(services, queue, {
        state,
        offset: cursor,
        limit: PAGE,
      });
      const resolve = await resolveSubjects(
        services.db,
        jobs.flatMap(({ subjects }) => subjects),
      );
      const next = cursor + PAGE;
      return {
        state,
        total,
        jobs: jobs.map((job) => presentJob(queue, job, resolve)),
        next_cursor: next < total && next <= MAX_OFFSET ? String(next) : null,
      };
    },
  }),
  defineRoute({
    ...READ,
    method: 'GET',
    path: '/operations/queues/{queue}/jobs/{job_id}',
    summary: 'A job and its events',
    params: z.object({ queue: z.string(), job_id: z.string() }),
    reply: jobDetailSchema,
    handle: ({ services, params: { queue, job_id: id } }) => jobBody(services, queue, id),
  }),
];
