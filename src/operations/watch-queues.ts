import { sql } from 'kysely';
import type { WorkFigures } from '#src/platform/work-figures.ts';
import { openAlarms, settleAlarms } from './alarms.ts';
import { writeSearches } from './count-searches.ts';
import { isOver, judgeQueues, type WatchedQueue } from './judge-alarms.ts';
import { minuteOf } from './job-history.ts';
import type { OperationsServices } from './operations-services.ts';
import { listPauses } from './pauses.ts';
import { queueWork } from './queue-work.ts';
import { readDepths, readMinutes } from './read-history.ts';
import { recordDepths, rollUp, sweepHistory } from './roll-up.ts';
import { listProcesses, servingOf } from './worker-processes.ts';

const LOOK_EVERY_MS = 15_000;
/** The holder looks three times before another may take over. */
const DUTY_MS = 3 * LOOK_EVERY_MS;
const TIDY_EVERY_MS = 5 * 60_000;
const MINUTE_MS = 60_000;
const MINUTES_JUDGED = 6;

export type WatchServices = Pick<
  OperationsServices,
  | 'clock'
  | 'db'
  | 'inBackground'
  | 'jobHistory'
  | 'log'
  | 'producer'
  | 'queueBackend'
  | 'searchTally'
>;

/**
 * Takes part in the watch over all queues. Every process does, so that dead workers cannot silence their own alarm; one
 * at a time looks.
 */
export function startWatch(services: WatchServices): { stop(): Promise<void> } {
  const watch = createWatch(services);
  let looking: Promise<void> | null = null;
  const timer = setInterval(() => {
    looking ??= writeSearches(services)
      .then(() => watch.look())
      .catch(services.queueBackend.reportError)
      .finally(() => {
        looking = null;
      });
  }, LOOK_EVERY_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

/** The part of one process in the watch. */
export interface Watch {
  /** Looks at the queues if it is this process's turn. */
  look(): Promise<void>;
}

export function createWatch(services: WatchServices): Watch {
  let served: LastServed = { since: services.clock(), at: new Map() };
  return {
    async look() {
      const now = services.clock();
      const duty = await takeDuty(services, now);
      // What another process saw meanwhile is not known here.
      if (duty === null) served = { since: now, at: new Map() };
      else await lookAt(services, { now, served, tidiedAt: duty.tidiedAt });
    },
  };
}

/** When a watch has seen workers: one that stops in order leaves no heartbeat to remember it by. */
interface LastServed {
  /** Before this time, a missing worker cannot be established. */
  readonly since: Date;
  readonly at: Map<string, Date>;
}

async function lookAt(
  services: WatchServices,
  { now, served, tidiedAt }: { now: Date; served: LastServed; tidiedAt: Date },
): Promise<void> {
  const work = await queueWork(services);
  const queues = await watched(services, work, { now, served });
  await recordDepths(
    services.db,
    minuteOf(now),
    work.flatMap(({ queue, waiting, oldest_due_at: due }) =>
      due === null ? [] : [{ queue, due: waiting, oldestMs: now.getTime() - due.getTime() }],
    ),
  );
  const troubles = judgeQueues(queues, now);
  const byName = new Map(queues.map((queue) => [queue.name, queue]));
  const over = (await openAlarms(services.db)).filter(({ queue, kind }) => {
    const known = byName.get(queue);
    return known === undefined || isOver(kind, known, troubles);
  });
  await settleAlarms(services, { troubles, over, now });
  if (now.getTime() - tidiedAt.getTime() < TIDY_EVERY_MS) return;
  await rollUp(services.db, { tidiedAt, now });
  await sweepHistory(services.db, now);
  await services.db
    .updateTable('watch_duty')
    .set({ tidied_at: now })
    .where('name', '=', 'queues')
    .execute();
}

/** Null while another process has the duty. */
async function takeDuty(
  { db, jobHistory }: WatchServices,
  now: Date,
): Promise<{ tidiedAt: Date } | null> {
  const until = new Date(now.getTime() + DUTY_MS);
  const { rows } = await sql<{ tidiedAt: Date }>`
    insert into watch_duty as d (name, held_by, held_until, tidied_at)
    values ('queues', ${jobHistory.processId}::uuid, ${until}, ${new Date(0)})
    on conflict (name) do update set held_by = excluded.held_by, held_until = excluded.held_until
      where d.held_by = excluded.held_by or d.held_until < ${now}
    returning d.tidied_at as "tidiedAt"`.execute(db);
  return rows[0] ?? null;
}

async function watched(
  { db }: WatchServices,
  work: readonly WorkFigures[],
  { now, served }: { now: Date; served: LastServed },
): Promise<WatchedQueue[]> {
  const minute = minuteOf(now);
  const from = new Date(minute.getTime() - MINUTES_JUDGED * MINUTE_MS);
  const stretch = { queue: null, from, to: now, stepSeconds: 60 };
  const processes = await listProcesses(db, now);
  const paused = new Set((await listPauses(db)).map(({ queue }) => queue));
  const depths = await readDepths(db, stretch);
  const finished = await readMinutes(db, stretch);
  return work.map(({ queue, oldest_due_at: due }) => {
    const oldestMs = due === null ? null : now.getTime() - due.getTime();
    const past = Array.from({ length: MINUTES_JUDGED }, (_, index) => {
      const at = from.getTime() + index * MINUTE_MS;
      return depths.find((one) => one.queue === queue && one.at.getTime() === at)?.oldestMs ?? 0;
    });
    const { workers, lastBeatAt } = servingOf(processes, queue);
    if (workers > 0) served.at.set(queue, now);
    return {
      name: queue,
      isPaused: paused.has(queue),
      workers,
      servedAt: latestOf(lastBeatAt, served.at.get(queue)) ?? served.since,
      oldestMs,
      oldestByMinute: [...past, oldestMs ?? 0],
      finishedLately: finished
        .filter((point) => point.queue === queue)
        .reduce((sum, point) => sum + point.finished, 0),
    };
  });
}

function latestOf(...times: readonly (Date | null | undefined)[]): Date | null {
  const known = times.flatMap((time) => (time ? [time] : []));
  return known.toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null;
}
