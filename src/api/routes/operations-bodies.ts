import { QUEUES } from '#queues/index.ts';
import { listAlarms } from '#src/operations/alarms.ts';
import { PAGE, pageOf } from '#src/operations/cursor.ts';
import { BEAT_MS } from '#src/operations/heartbeat.ts';
import { presentAlarm, presentHistory, presentQueue } from '#src/operations/present-queue.ts';
import { findQueue, listQueues } from '#src/operations/queue-board.ts';
import type { Range } from '#src/operations/range.ts';
import { listProcesses, servingOf } from '#src/operations/worker-processes.ts';
import type { Services } from '#src/services.ts';

/** `GET /operations/queues`, which the live topic `queues` sends, too. */
export async function queuesBody(services: Services, range: Range) {
  const { at, queues } = await listQueues(services, range);
  return { at: at.toISOString(), range, queues: queues.map((queue) => presentQueue(queue, at)) };
}

/** `GET /operations/queues/{queue}`. @throws Problem NOT_FOUND */
export async function queueBody(services: Services, name: string, range: Range) {
  const { at, entry, history, jobs } = await findQueue(services, name, range);
  return {
    at: at.toISOString(),
    ...presentQueue(entry, at),
    history: presentHistory(history),
    active_jobs: jobs,
    settings: settingsOf(name),
  };
}

/** `GET /operations/workers`. */
export async function workersBody(services: Services) {
  const now = services.clock();
  const processes = await listProcesses(services.db, now);
  return {
    at: now.toISOString(),
    beat_seconds: BEAT_MS / 1_000,
    workers: processes.map(({ startedAt, beatAt, isAlive, ...process }) => ({
      ...process,
      started_at: startedAt.toISOString(),
      beat_at: beatAt.toISOString(),
      alive: isAlive,
    })),
    unserved: QUEUES.filter(({ name }) => servingOf(processes, name).workers === 0).map(
      ({ name }) => name,
    ),
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

function settingsOf(name: string) {
  const queue = QUEUES.find((one) => one.name === name);
  return {
    attempts: queue?.attempts ?? 1,
    timeout_seconds: (queue?.timeoutMs ?? 0) / 1_000,
    every_seconds: typeof queue?.everyMs === 'number' ? queue.everyMs / 1_000 : null,
    concurrency: queue?.concurrency ?? 1,
  };
}
