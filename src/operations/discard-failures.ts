import { Problem } from '#src/platform/errors.ts';
import { type Operator, recordAction } from './audit.ts';
import { listFailedJobs } from './failed-jobs.ts';
import { countChosen, type FailureChoice, isFailingQueue, recordDiscards } from './failures.ts';
import { queueNamed } from './jobs.ts';
import type { OperationsServices } from './operations-services.ts';

/** Bounds the work of one request; the answer says how many remain. */
const MAX_DISCARDED = 10_000;

type DiscardServices = Pick<OperationsServices, 'db' | 'producer'>;

interface DiscardOrder {
  queue: string;
  choice: FailureChoice;
  /** The number that the operator saw. */
  expected: number;
}

/**
 * Hides failures from operators, so that they see what is new. The rows are unchanged for their owners, and count again
 * when they fail again; failed jobs without a row are removed from the store.
 * @throws Problem CONFLICT when there are more by now
 */
export async function discardFailures(
  services: DiscardServices,
  operator: Operator,
  order: DiscardOrder,
): Promise<{ discarded: number; left: number }> {
  const { queue, choice, expected } = order;
  const jobs = isFailingQueue(queue) ? null : await chosenJobs(services, queue, choice);
  const present = isFailingQueue(queue)
    ? await countChosen(services.db, queue, choice)
    : (jobs?.length ?? 0);
  if (present > expected) {
    throw new Problem(
      'CONFLICT',
      `There are now ${present} such failures, more than the ${expected} that you saw. Review them again, then discard with count ${present}.`,
    );
  }
  const detail = { group: choice.group, id: choice.id, seen: expected, rows: present };
  const action = { action: 'failures.discard', queue, detail } as const;
  if (!isFailingQueue(queue)) {
    await recordAction(services.db, operator, action);
    const ids = (jobs ?? []).map(({ id }) => id);
    const discarded = await services.producer.discardFailedJobs(queueNamed(queue), ids);
    return { discarded, left: Math.max(0, present - discarded) };
  }
  const discarded = await services.db.transaction().execute(async (trx) => {
    await recordAction(trx, operator, action);
    // One that has failed since the count was not seen, and stays.
    return recordDiscards(trx, queue, choice, Math.min(present, MAX_DISCARDED));
  });
  return { discarded, left: Math.max(0, present - discarded) };
}

async function chosenJobs(
  services: DiscardServices,
  queue: string,
  { since, group, id }: FailureChoice,
): Promise<{ id: string }[]> {
  const jobs = await listFailedJobs(services, queueNamed(queue), since);
  return jobs.filter((job) => (group === null || job.group === group) && (id ?? job.id) === job.id);
}
