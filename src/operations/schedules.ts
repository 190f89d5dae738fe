import { QUEUES } from '#queues/index.ts';
import type { AnyQueue } from '#queues/queue.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { type Operator, recordAction } from './audit.ts';
import type { OperationsServices } from './operations-services.ts';
import { listPauses } from './pauses.ts';
import { QUEUE_FACTS } from './queue-facts.ts';
import { listProcesses } from './worker-processes.ts';

type ScheduledQueue = AnyQueue & { everyMs: number };

/** A scheduled queue. */
export interface Schedule {
  name: string;
  does: string;
  everyMs: number;
  /** Null when the queue store does not know it, for example after it was flushed. */
  nextAt: Date | null;
  lastAt: Date | null;
  /** Whether it is running now. */
  isRunning: boolean;
  isPaused: boolean;
}

/** Every scheduled queue, in the order of the list. */
export async function listSchedules(
  services: Pick<OperationsServices, 'clock' | 'db' | 'producer'>,
): Promise<Schedule[]> {
  const paused = new Set((await listPauses(services.db)).map(({ queue }) => queue));
  const lastRuns = await readLastRuns(services.db);
  const processes = await listProcesses(services.db, services.clock());
  const running = new Set(
    processes.flatMap(({ isAlive, queues }) =>
      isAlive ? queues.flatMap(({ name, active }) => (active > 0 ? [name] : [])) : [],
    ),
  );
  return Promise.all(
    QUEUES.filter(isScheduled).map(async (queue) => ({
      name: queue.name,
      does: QUEUE_FACTS[queue.name]?.does ?? '',
      everyMs: queue.everyMs,
      nextAt: await services.producer.nextRunAt(queue),
      lastAt: latestOf(lastRuns.get(queue.name), await services.producer.lastFinishedAt(queue)),
      isRunning: running.has(queue.name),
      isPaused: paused.has(queue.name),
    })),
  );
}

/** Runs a scheduled queue now. @throws Problem NOT_FOUND when no schedule has this name */
export async function runSchedule(
  services: Pick<OperationsServices, 'db' | 'producer'>,
  operator: Operator,
  name: string,
): Promise<{ name: string; paused: boolean }> {
  const queue = QUEUES.filter(isScheduled).find((one) => one.name === name);
  if (!queue) {
    throw new Problem(
      'NOT_FOUND',
      `There is no schedule ${JSON.stringify(name.slice(0, 60))}. GET /operations/schedules lists them.`,
    );
  }
  await recordAction(services.db, operator, { action: 'schedule.run', queue: name, detail: {} });
  await services.producer.enqueue({ ...queue, key: null }, {}, { requestId: operator.requestId });
  const paused = await listPauses(services.db);
  return { name, paused: paused.some((pause) => pause.queue === name) };
}

function isScheduled(queue: AnyQueue): queue is ScheduledQueue {
  return queue.everyMs !== null;
}

/** The store has the exact time while it keeps the job; minutes are kept for two days. */
function latestOf(minute: Date | undefined, finished: Date | null): Date | null {
  const times = [minute, finished].flatMap((time) => (time ? [time.getTime()] : []));
  return times.length === 0 ? null : new Date(Math.max(...times));
}

async function readLastRuns(db: Database): Promise<ReadonlyMap<string, Date>> {
  const rows = await db
    .selectFrom('queue_minute')
    .select((row) => ['queue', row.fn.max('minute').as('minute')])
    .where(
      'queue',
      'in',
      QUEUES.filter(isScheduled).map(({ name }) => name),
    )
    .groupBy('queue')
    .execute();
  return new Map(rows.map(({ queue, minute }) => [queue, minute]));
}
