import { z } from 'zod';
import { JOB_STATES } from '#queues/read-jobs.ts';
import { JOB_EVENTS, type JobEvent, type QueueJob } from './jobs.ts';
import { type Resolve, subjectSchema } from './resolve-subjects.ts';

const timestamp = z.iso.datetime();

export const jobSchema = z.object({
  queue: z.string(),
  job_id: z.string(),
  state: z.enum([...JOB_STATES, 'unknown']),
  attempts: z.int().describe('Attempts started.'),
  max_attempts: z.int(),
  added_at: timestamp,
  due_at: timestamp,
  taken_at: timestamp.nullable().describe('When the last attempt started.'),
  finished_at: timestamp.nullable(),
  error: z.string().nullable().describe('Error of the last failed attempt.'),
  request_id: z.string().nullable(),
  trace_id: z.string().nullable().describe('Null when its request was not traced.'),
  subjects: z.array(subjectSchema).describe('The rows that the job is about, at most 10.'),
});

export const jobDetailSchema = jobSchema.extend({
  payload: z.unknown().describe('Ids.'),
  events: z
    .array(
      z.object({
        at: timestamp.nullable().describe('Null when unknown.'),
        kind: z.enum(JOB_EVENTS),
        attempt: z.int().nullable(),
        duration_ms: z.number().nullable(),
        error: z.string().nullable(),
        stack: z.string().nullable(),
      }),
    )
    .describe('Events, oldest first.'),
});

const MAX_MESSAGE = 2_000;

export function presentJob(
  queue: string,
  job: QueueJob,
  resolve: Resolve,
): z.input<typeof jobSchema> {
  return {
    queue,
    job_id: job.id,
    state: job.state,
    attempts: job.attempts,
    max_attempts: job.maxAttempts,
    added_at: job.addedAt.toISOString(),
    due_at: job.dueAt.toISOString(),
    taken_at: job.takenAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    error: job.error?.slice(0, MAX_MESSAGE) ?? null,
    request_id: job.requestId,
    trace_id: job.traceId,
    subjects: job.subjects.map(resolve),
  };
}

export function presentEvent(event: JobEvent): z.input<typeof jobDetailSchema>['events'][number] {
  const { at, durationMs, ...rest } = event;
  return { ...rest, at: at?.toISOString() ?? null, duration_ms: durationMs };
}
