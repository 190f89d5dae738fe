import type { Database } from '#src/platform/database.ts';
import type { RunningJob, ServedQueue } from '#src/tables/operations.ts';
import { ALIVE_MS } from './heartbeat.ts';

/** A process with workers, by its last heartbeat. */
export interface WorkerProcess {
  id: string;
  host: string;
  pid: number;
  version: string;
  startedAt: Date;
  beatAt: Date;
  isAlive: boolean;
  queues: ServedQueue[];
  jobs: RunningJob[];
}

/** Bounds the page. */
const MAX_PROCESSES = 500;

/** The processes of the last hour that did not stop in order, the living ones first. */
export async function listProcesses(db: Database, now: Date): Promise<WorkerProcess[]> {
  const rows = await db
    .selectFrom('worker_process')
    .selectAll()
    .orderBy('beat_at', 'desc')
    .orderBy('id')
    .limit(MAX_PROCESSES)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    host: row.host,
    pid: row.pid,
    version: row.version,
    startedAt: row.started_at,
    beatAt: row.beat_at,
    isAlive: now.getTime() - row.beat_at.getTime() <= ALIVE_MS,
    queues: row.queues,
    jobs: row.jobs,
  }));
}

/** How many living processes serve a queue, and when one last said that it does. */
export function servingOf(
  processes: readonly WorkerProcess[],
  queue: string,
): { workers: number; lastBeatAt: Date | null } {
  const serving = processes.filter((one) => one.queues.some(({ name }) => name === queue));
  return {
    workers: serving.filter((one) => one.isAlive).length,
    lastBeatAt: serving[0]?.beatAt ?? null,
  };
}
