import { QUEUES } from '#queues/index.ts';
import { listAlarms } from '#src/operations/alarms.ts';
import { PAGE, pageOf } from '#src/operations/cursor.ts';
import { BEAT_MS } from '#src/operations/heartbeat.ts';
import { findJob } from '#src/operations/jobs.ts';
import { presentEvent, presentJob } from '#src/operations/present-job.ts';
import { presentAlarm, presentHistory, presentQueue } from '#src/operations/present-queue.ts';
import { findQueue, listQueues, summarizeBoard } from '#src/operations/queue-board.ts';
import { beginOf, type Range } from '#src/operations/range.ts';
import { listSchedules } from '#src/operations/schedules.ts';
import { listProcesses, servingOf } from '#src/operations/worker-processes.ts';
import { resolveSubjects } from '#src/operations/resolve-subjects.ts';
import type { Services } from '#src/services.ts';
import type { RunningJob } from '#src/tables/operations.ts';

/** `GET /operations/queues`, which the live topic `queues` sends, too. */
export async function queuesBody(services: Services, range: Range) {
  const { at, queues } = await listQueues(services, range);
  const failures = await summarizeBoard(services, queues, beginOf(range, at));
  return {
    at: at.toISOString(),
    range,
    queues: queues.map((queue) => presentQueue(queue, at, failures.get(queue.name) ?? null)),
  };
}

/** `GET /operations/queues/{queue}`. @throws Problem NOT_FOUND */
export async function queueBody(services: Services, name: string, range: Range) {
  const { at, entry, history, jobs } = await findQueue(services, name, range);
  const failures = await summarizeBoard(services, [entry], beginOf(range, at));
  return {
    at: at.toISOString(),
    ...presentQueue(entry, at, failures.get(name) ?? null),
    history: presentHistory(history),
    active_jobs: await withPages(services, jobs),
    settings: settingsOf(name),
  };
}

/** `GET /operations/queues/{queue}/jobs/{job_id}`. @throws Problem NOT_FOUND */
export async function jobBody(services: Services, queue: string, id: string) {
  const { job, events } = await findJob(services, queue, id);
  const resolve = await resolveSubjects(services.db, job.subjects);
  return {
    ...presentJob(queue, job, resolve),
    payload: job.payload,
    events: events.map(presentEvent),
  };
}

/** `GET /operations/workers`. */
export async function workersBody(services: Services) {
  const now = services.clock();
  const processes = await listProcesses(services.db, now);
  const resolve = await resolveSubjects(
    services.db,
    processes.flatMap(({ jobs }) => jobs.flatMap(({ subjects }) => subjects)),
  );
  return {
    at: now.toISOString(),
    beat_seconds: BEAT_MS / 1_000,
    workers: processes.map(({ startedAt, beatAt, isAlive, jobs, ...process }) => ({
      ...process,
      jobs: jobs.map((job) => ({ ...job, subjects: job.subjects.map(resolve) })),
      started_at: startedAt.toISOString(),
      beat_at: beatAt.toISOString(),
      alive: isAlive,
    })),
    unserved: QUEUES.filter(({ name }) => servingOf(processes, name).workers === 0).map(
      ({ name }) => name,
    ),
  };
}

/** `GET /operations/schedules`. */
export async function schedulesBody(services: Services) {
  const schedules = await listSchedules(services);
  return {
    schedules: schedules.map((schedule) => ({
      name: schedule.name,
      does: schedule.does,
      every_seconds: schedule.everyMs / 1_000,
      next_at: schedule.nextAt?.toISOString() ?? null,
      last_at: schedule.lastAt?.toISOString() ?? null,
      running: schedule.isRunning,
      paused: schedule.isPaused,
    })),
  };
}

/** `GET /operations/alarms`. */
export async function alarmsBody(
  services: Services,
  { isOpen, before }: { isOpen: boolean; before: number | null },
) {
  const { page, nextCursor } = pageOf(
    await listAlarms(services.db, { isOpen, before, limit: PAGE + 1 }),
  );
  return { alarms: page.map(presentAlarm), next_cursor: nextCursor };
}

async function withPages<Job extends RunningJob>(services: Services, jobs: readonly Job[]) {
  const resolve = await resolveSubjects(
    services.db,
    jobs.flatMap(({ subjects }) => subjects),
  );
  return jobs.map((job) => ({ ...job, subjects: job.subjects.map(resolve) }));
}

function settingsOf(name: string) {
  const queue = QUEUES.find((one) => one.name === name);
  return {
    attempts: queue?.attempts ?? 1,
    timeout_seconds: (queue?.timeoutMs ?? 0) / 1_000,
    every_seconds: typeof queue?.everyMs === 'number' ? queue.everyMs / 1_000 : null,
    concurrency: queue?.concurrency ?? 1,
  };
}
