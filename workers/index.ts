import { QUEUES } from '#queues/index.ts';
import type { AnyQueue } from '#queues/queue.ts';
import type { Config } from '#src/platform/config.ts';
import { StartError } from '#src/platform/errors.ts';
import { followPauses } from '#src/operations/follow-pauses.ts';
import { listPauses } from '#src/operations/pauses.ts';
import { startHeartbeat } from '#src/operations/heartbeat.ts';
import { startWatch } from '#src/operations/watch-queues.ts';
import type { Services } from '#src/services.ts';
import type { WorkerDefinition } from './attempt-job.ts';
import { startWorker } from './worker.ts';

export interface RunningWorkers {
  readonly queueNames: readonly string[];
  /** Whether the console sees this process alive. */
  isAlive(): boolean;
  /** Closes all workers at once; see `RunningWorker.close`. */
  close(deadlineMs: number): Promise<void>;
}

/** A flushed Redis loses its schedules; without them `reconcile` would never run again. */
const SCHEDULE_CHECK_MS = 10_000;

/**
 * Starts the workers of the named queues, by default all, and keeps the schedules of all queues in place.
 * @throws StartError listing the known queues when a name is unknown
 */
export async function startWorkers(
  services: Services,
  names: readonly string[] = [],
): Promise<RunningWorkers> {
  const queues = queuesByName(names);
  const definitions = await Promise.all(queues.map(loadWorker));
  await services.producer.syncSchedules();
  const paused = new Set((await listPauses(services.db)).map(({ queue }) => queue));
  const running = definitions.map((definition) => {
    const worker = startWorker(
      definition,
      services,
      concurrencyOf(services.config, definition.queue),
    );
    // At once, so that a paused queue gives no job to a process that starts.
    if (paused.has(worker.queueName)) worker.pause();
    return worker;
  });
  const forgetPauses = followPauses(services, running);
  const heartbeat = startHeartbeat(
    services,
    running.map(({ queueName: name, concurrency }) => ({ name, concurrency })),
  );
  const watch = startWatch(services);
  const schedules = setInterval(() => {
    services.producer.syncSchedules().catch(services.queueBackend.reportError);
  }, SCHEDULE_CHECK_MS);
  return {
    queueNames: running.map((worker) => worker.queueName),
    isAlive: () => heartbeat.isAlive(),
    async close(deadlineMs) {
      clearInterval(schedules);
      forgetPauses();
      const watched = watch.stop();
      await Promise.all(running.map(async (worker) => worker.close(deadlineMs)));
      await watched;
      await heartbeat.stop().catch(services.queueBackend.reportError);
    },
  };
}

/**
 * The queues of these names; all queues for an empty list.
 * @throws StartError listing the known queues when a name is unknown
 */
export function queuesByName(names: readonly string[]): readonly AnyQueue[] {
  const unknown = names.filter((name) => !QUEUES.some((queue) => queue.name === name));
  if (unknown.length > 0) {
    const known = QUEUES.map((queue) => queue.name).join(', ');
    throw new StartError(
      `There is no queue named ${unknown.join(', ')}. The queues are: ${known}.`,
    );
  }
  return names.length === 0 ? QUEUES : QUEUES.filter((queue) => names.includes(queue.name));
}

/** Imports `workers/<queue name>.ts`, so no second list of queues is needed. */
export async function loadWorker(queue: AnyQueue): Promise<WorkerDefinition<unknown>> {
  // A module's exports are known only at run time; the check below and the contract tests replace the type check.
  const module = (await import(new URL(`./${queue.name}.ts`, import.meta.url).href)) as {
    worker?: WorkerDefinition<unknown>;
  };
  if (module.worker?.queue.name !== queue.name) {
    throw new Error(
      `workers/${queue.name}.ts must export "worker", defined for the queue ${queue.name}.`,
    );
  }
  return module.worker;
}

/**
 * `DOCUMENT_INDEX_CONCURRENCY` for `document-index`, and so on; the queue's own default where no such setting exists.
 */
function concurrencyOf(config: Config, queue: AnyQueue): number {
  const setting = `${queue.name.replaceAll('-', '_').toUpperCase()}_CONCURRENCY`;
  const value: unknown = new Map(Object.entries(config)).get(setting);
  return typeof value === 'number' ? value : queue.concurrency;
}
