import { z } from 'zod';
import { QUEUES } from '#queues/index.ts';
import { ALARM_KINDS } from '#src/tables/operations.ts';
import type { Alarm } from './alarms.ts';
import type { FailureSummary } from './failures.ts';
import type { Pause } from './pauses.ts';
import type { QueueEntry } from './queue-board.ts';
import { QUEUE_FACTS } from './queue-facts.ts';
import type { QueuePoint } from './queue-history.ts';
import { subjectSchema } from './resolve-subjects.ts';

const timestamp = z.iso.datetime();
const durations = z
  .object({ p50: z.number(), p95: z.number() })
  .nullable()
  .describe('In milliseconds, to within a fifth; null when nothing ran.');

export const pauseSchema = z.object({
  at: timestamp,
  by: z.object({ user_id: z.string().nullable(), name: z.string() }),
  reason: z.string().nullable(),
});

export const alarmSchema = z.object({
  id: z.string(),
  queue: z.string(),
  kind: z.enum(ALARM_KINDS),
  message: z.string(),
  since: timestamp,
  raised_at: timestamp,
  cleared_at: timestamp.nullable(),
});

export const queueSchema = z.object({
  name: z.string(),
  kind: z.enum(['work', 'housekeeping']).describe('Housekeeping runs on a schedule.'),
  does: z.string(),
  counts_from: z.enum(['rows', 'jobs']),
  waiting: z.int().describe('Due and not taken; at most 100,000.'),
  active: z.int(),
  delayed: z.int(),
  failed: z.int().describe('Failed for good in the range.'),
  failures: z
    .object({
      first_at: timestamp,
      message: z
        .string()
        .describe('The message of most of the latest failures; ids and numbers are replaced by ….'),
      is_all: z.boolean().describe('Whether all failures have this message.'),
    })
    .nullable()
    .describe('Null when nothing failed in the range.'),
  oldest_seconds: z.number().nullable().describe('How long the oldest is due; null when none is.'),
  per_minute: z.int().describe('Attempts that finished in the last full minute.'),
  failures_per_minute: z.int(),
  wait_ms: durations,
  run_ms: durations,
  workers: z.int().describe('Processes that serve it and are alive.'),
  paused: pauseSchema.nullable(),
  alarms: z.array(alarmSchema),
  minutes: z
    .array(z.object({ finished: z.int(), failed: z.int() }))
    .describe('The last 60 full minutes, oldest first.'),
});

export const historySchema = z.object({
  step_seconds: z.int(),
  points: z.array(
    z.object({
      at: timestamp,
      finished: z.int(),
      failed: z.int(),
      retried: z.int(),
      wait_ms: durations,
      run_ms: durations,
      oldest_seconds: z.number().nullable(),
    }),
  ),
});

export const runningJobSchema = z.object({
  queue: z.string(),
  job_id: z.string(),
  attempt: z.int(),
  since: timestamp,
  request_id: z.string().nullable(),
  subjects: z.array(subjectSchema),
});

/** @param failures summary of the range; null when nothing failed */
export function presentQueue(
  entry: QueueEntry,
  at: Date,
  failures: FailureSummary | null,
): z.input<typeof queueSchema> {
  const { work } = entry;
  const due = work.oldest_due_at;
  const fact = QUEUE_FACTS[entry.name];
  const everyMs = QUEUES.find(({ name }) => name === entry.name)?.everyMs ?? null;
  return {
    name: entry.name,
    kind: everyMs === null ? 'work' : 'housekeeping',
    does: fact?.does ?? '',
    counts_from: fact?.countsFrom ?? 'jobs',
    waiting: work.waiting,
    active: work.active,
    delayed: work.delayed,
    failed: entry.failed,
    failures: failures && {
      first_at: failures.firstAt.toISOString(),
      message: failures.message,
      is_all: failures.isAll,
    },
    oldest_seconds: due === null ? null : Math.max(0, (at.getTime() - due.getTime()) / 1_000),
    per_minute: entry.perMinute,
    failures_per_minute: entry.failuresPerMinute,
    wait_ms: entry.waitMs,
    run_ms: entry.runMs,
    workers: entry.workers,
    paused: entry.paused === null ? null : presentPause(entry.paused),
    alarms: entry.alarms.map(presentAlarm),
    minutes: entry.minutes,
  };
}

export function presentPause(pause: Pause): z.input<typeof pauseSchema> {
  return {
    at: pause.pausedAt.toISOString(),
    by: { user_id: pause.userId, name: pause.userName },
    reason: pause.reason,
  };
}

export function presentAlarm(alarm: Alarm): z.input<typeof alarmSchema> {
  return {
    id: String(alarm.id),
    queue: alarm.queue,
    kind: alarm.kind,
    message: alarm.message,
    since: alarm.since.toISOString(),
    raised_at: alarm.raised_at.toISOString(),
    cleared_at: alarm.cleared_at?.toISOString() ?? null,
  };
}

export function presentHistory(history: {
  stepSeconds: number;
  points: QueuePoint[];
}): z.input<typeof historySchema> {
  return {
    step_seconds: history.stepSeconds,
    points: history.points.map((point) => ({
      at: point.at.toISOString(),
      finished: point.finished,
      failed: point.failed,
      retried: point.retried,
      wait_ms: point.waitMs,
      run_ms: point.runMs,
      oldest_seconds: point.oldestMs === null ? null : point.oldestMs / 1_000,
    })),
  };
}
