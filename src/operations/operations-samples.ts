import { QUEUES } from '#queues/index.ts';
import type { GaugeSample } from '#src/platform/gauges.ts';
import { ALARM_KINDS } from '#src/tables/operations.ts';
import { openAlarms } from './alarms.ts';
import type { OperationsServices } from './operations-services.ts';
import { listPauses } from './pauses.ts';
import { listQueues } from './queue-board.ts';
import { listProcesses, servingOf } from './worker-processes.ts';

/** Living workers, pauses and raised alarms of every queue. Needs no queue store. */
export async function stateSamples({
  clock,
  db,
}: Pick<OperationsServices, 'clock' | 'db'>): Promise<GaugeSample[]> {
  const processes = await listProcesses(db, clock());
  const paused = new Set((await listPauses(db)).map(({ queue }) => queue));
  const alarms = await openAlarms(db);
  return QUEUES.flatMap(({ name: queue }) => [
    {
      gauge: 'queueWorkers' as const,
      labels: { queue },
      value: servingOf(processes, queue).workers,
    },
    { gauge: 'queuePaused' as const, labels: { queue }, value: paused.has(queue) ? 1 : 0 },
    ...ALARM_KINDS.map((kind) => ({
      gauge: 'queueAlarms' as const,
      labels: { queue, kind },
      value: alarms.some((alarm) => alarm.queue === queue && alarm.kind === kind) ? 1 : 0,
    })),
  ]);
}

/** The work of every queue and what failed in the last hour: the numbers of the console. */
export async function workSamples(
  services: Pick<OperationsServices, 'clock' | 'db' | 'producer'>,
): Promise<GaugeSample[]> {
  const { at, queues } = await listQueues(services, 'hour');
  return queues.flatMap(({ name: queue, work, failed }) => {
    const due = work.oldest_due_at;
    const oldestMs = due === null ? 0 : Math.max(0, at.getTime() - due.getTime());
    return [
      ...(['waiting', 'active', 'delayed'] as const).map((state) => ({
        gauge: 'queueWork' as const,
        labels: { queue, state },
        value: work[state],
      })),
      { gauge: 'queueOldestDueSeconds' as const, labels: { queue }, value: oldestMs / 1_000 },
      { gauge: 'queueFailedRecently' as const, labels: { queue }, value: failed },
    ];
  });
}
