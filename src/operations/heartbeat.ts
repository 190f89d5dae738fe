import { hostname } from 'node:os';
import { sql } from 'kysely';
import packageJson from '#package.json' with { type: 'json' };
import type { ServedQueue } from '#src/tables/operations.ts';
import type { OperationsServices } from './operations-services.ts';
import { writeHistory } from './write-history.ts';

export const BEAT_MS = 10_000;
/** A process that misses three beats is not alive. */
export const ALIVE_MS = 3 * BEAT_MS;
/** Of a process, for the pages: a process of webhooks may have hundreds. */
const MAX_JOBS_SHOWN = 50;

type BeatServices = Pick<
  OperationsServices,
  'clock' | 'db' | 'inBackground' | 'jobHistory' | 'queueBackend'
>;

/** A queue and how many of its jobs this process does at once. */
export type Served = Pick<ServedQueue, 'name' | 'concurrency'>;

export interface Heartbeat {
  /** Whether others see this process alive: a beat was written lately. */
  isAlive(): boolean;
  stop(): Promise<void>;
}

/**
 * Says every ten seconds that this process is alive and what it does, and writes what it did in the minutes that are
 * over. Nothing waits for it; a beat that fails is made up for by the next.
 */
export function startHeartbeat(services: BeatServices, served: readonly Served[]): Heartbeat {
  const startedAt = services.clock();
  let lastBeatAt: Date | null = null;
  let beating: Promise<void> | null = null;
  const tick = (): void => {
    beating ??= beat(services, served, startedAt)
      .then((beatAt) => {
        lastBeatAt = beatAt;
        return writeHistory(services, 'over');
      })
      .catch(services.queueBackend.reportError)
      .finally(() => {
        beating = null;
      });
  };
  tick();
  const timer = setInterval(tick, BEAT_MS);
  timer.unref();
  return {
    isAlive: () =>
      lastBeatAt !== null && services.clock().getTime() - lastBeatAt.getTime() <= ALIVE_MS,
    /** The process leaves: it is not dead, and what it did is not lost. */
    async stop() {
      clearInterval(timer);
      await beating;
      await writeHistory(services, 'all');
      await sql`delete from worker_process where id = ${services.jobHistory.processId}`.execute(
        services.db,
      );
    },
  };
}

/** One heartbeat of this process: when it was. */
async function beat(
  { clock, db, inBackground, jobHistory }: BeatServices,
  served: readonly Served[],
  startedAt: Date,
): Promise<Date> {
  const active = jobHistory.active();
  const queues = served.map((queue) => ({ ...queue, active: active.get(queue.name) ?? 0 }));
  const row = {
    beat_at: clock(),
    queues: JSON.stringify(queues),
    jobs: JSON.stringify(jobHistory.running(MAX_JOBS_SHOWN)),
  };
  await inBackground(() =>
    db
      .insertInto('worker_process')
      .values({
        ...row,
        id: jobHistory.processId,
        host: hostname(),
        pid: process.pid,
        version: packageJson.version,
        started_at: startedAt,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute(),
  );
  return row.beat_at;
}
