import { sql } from 'kysely';
import { connectorDelete } from '#queues/connector-delete.ts';
import { connectorPrune } from '#queues/connector-prune.ts';
import { connectorSync } from '#queues/connector-sync.ts';
import type { AnyQueue } from '#queues/queue.ts';
import type { CcPairId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { prunesAhead } from './prune-turns.ts';

type SendServices = Pick<ConnectorServices, 'db' | 'producer' | 'log' | 'clock'>;

/** Runs due within this time of each other compete for workers. */
const RUSH_SECONDS = 5;
/** BullMQ's highest number is 2^21; no workspace has this many pairs competing. */
const LAST_PRIORITY = 100_000;

/**
 * Tells the workers to look at a pair at `at`, or now if that has passed. `reconcile` replaces a lost job, so an
 * unavailable queue delays the run but fails no request.
 */
export async function sendSync(
  { db, producer, log, clock }: SendServices,
  ccPairId: CcPairId,
  at: Date | null = null,
  requestId: string | null = null,
): Promise<void> {
  const delayMs = Math.max(0, (at ?? clock()).getTime() - clock().getTime());
  try {
    const priority = await queuePriorityOf(db, ccPairId);
    await producer.enqueue(connectorSync, { ccPairId }, { delayMs, requestId, priority });
  } catch (error) {
    log.warn({ error: String(error), ccPairId }, 'connector-sync not sent: reconcile will send it');
  }
}

/** Like `sendSync`, for the pair's prune. */
export async function sendPrune(
  { db, producer, log, clock }: SendServices,
  ccPairId: CcPairId,
  at: Date | null = null,
  requestId: string | null = null,
): Promise<void> {
  const delayMs = Math.max(0, (at ?? clock()).getTime() - clock().getTime());
  try {
    const priority = Math.min(1 + (await prunesAhead(db, ccPairId)), LAST_PRIORITY);
    await producer.enqueue(connectorPrune, { ccPairId }, { delayMs, requestId, priority });
  } catch (error) {
    log.warn(
      { error: String(error), ccPairId },
      'connector-prune not sent: reconcile will send it',
    );
  }
}

/** Like `sendSync`, for the deletion of a pair. */
export async function sendDeletion(
  { db, producer, log }: Omit<SendServices, 'clock'>,
  ccPairId: CcPairId,
  requestId: string | null = null,
): Promise<void> {
  try {
    const priority = Math.min(1 + (await deletionsAhead(db, ccPairId)), LAST_PRIORITY);
    await producer.enqueue(connectorDelete, { ccPairId }, { requestId, priority });
  } catch (error) {
    log.warn(
      { error: String(error), ccPairId },
      'connector-delete not sent: reconcile will send it',
    );
  }
}

/** Whether any pair waits for a place of the queue. No, when the queue does not answer. */
export async function othersWait(
  { producer }: Pick<ConnectorServices, 'producer'>,
  queue: AnyQueue,
): Promise<boolean> {
  const counts = await producer.counts(queue).catch((): Record<string, number> => ({}));
  return (counts['waiting'] ?? 0) + (counts['prioritized'] ?? 0) > 0;
}

/** How many deletions of its workspace were asked for before that of a pair, and are not done. */
async function deletionsAhead(db: Database, ccPairId: CcPairId): Promise<number> {
  const { rows } = await sql<{ ahead: number }>`
    select count(*)::int as ahead from cc_pair mine
    join cc_pair other on other.workspace_id = mine.workspace_id and other.status = 'DELETING'
      and (other.deletion_requested_at, other.id) < (mine.deletion_requested_at, mine.id)
    where mine.id = ${ccPairId}`.execute(db);
  return rows[0]?.ahead ?? 0;
}

/**
 * Fair queueing between workspaces: a pair's priority is its place among the pairs of its workspace that are running,
 * or due at about the same time. So the first pair of one workspace goes before the second of another, however many
 * that one has (start-time fair queueing, Goyal, Vin and Cheng 1996).
 */
async function queuePriorityOf(db: Database, ccPairId: CcPairId): Promise<number> {
  const { rows } = await sql<{ ahead: number }>`
    select count(*)::int as ahead from (
      select other.id from cc_pair mine
      join cc_pair other on other.workspace_id = mine.workspace_id and other.id < mine.id
        and other.next_run_at between
          mine.next_run_at - make_interval(secs => ${RUSH_SECONDS}) and
          mine.next_run_at + make_interval(secs => ${RUSH_SECONDS})
      where mine.id = ${ccPairId}
      union
      select a.cc_pair_id from cc_pair mine
      join index_attempt a on a.workspace_id = mine.workspace_id and a.cc_pair_id <> mine.id
        and a.status = 'in_progress'
      where mine.id = ${ccPairId}) others`.execute(db);
  return Math.min(1 + (rows[0]?.ahead ?? 0), LAST_PRIORITY);
}
