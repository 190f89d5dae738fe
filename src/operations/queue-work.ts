import { QUEUES } from '#queues/index.ts';
import type { WorkFigures } from '#src/platform/work-figures.ts';
import type { OperationsServices } from './operations-services.ts';
import { QUEUE_FACTS } from './queue-facts.ts';
import { rowFigures } from './row-figures.ts';

/** The present work of every queue, or of one: from rows where it is rows, else from the queue store. */
export async function queueWork(
  services: Pick<OperationsServices, 'clock' | 'db' | 'producer'>,
  only: string | null = null,
): Promise<WorkFigures[]> {
  const rows = await rowFigures(services.db);
  return Promise.all(
    QUEUES.filter(({ name }) => only === null || name === only).map(async (queue) => {
      if (QUEUE_FACTS[queue.name]?.countsFrom === 'rows') {
        return rows.get(queue.name) ?? { queue: queue.name, ...NO_WORK };
      }
      return jobFigures(services, queue);
    }),
  );
}

const NO_WORK = { waiting: 0, active: 0, delayed: 0, oldest_due_at: null };

async function jobFigures(
  { clock, producer }: Pick<OperationsServices, 'clock' | 'producer'>,
  queue: (typeof QUEUES)[number],
): Promise<WorkFigures> {
  const counts = await producer.counts(queue);
  const waiting = (counts['waiting'] ?? 0) + (counts['prioritized'] ?? 0);
  const ageMs = waiting === 0 ? null : await producer.oldestWaitingAgeMs(queue);
  return {
    queue: queue.name,
    waiting,
    active: counts['active'] ?? 0,
    delayed: counts['delayed'] ?? 0,
    oldest_due_at: ageMs === null ? null : new Date(clock().getTime() - ageMs),
  };
}
