import { sql } from 'kysely';
import type { CcPairId, ConnectorId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { MIN_PRUNE_SECONDS, MIN_REFRESH_SECONDS } from '#src/connectors/runs/next-run.ts';
import type { PairRow } from '#src/connectors/runs/open-pair.ts';
import { cancelRun, lockOwnPair } from '#src/connectors/runs/request-run.ts';
import { lockPairs, nextPrune, reschedulePairs, sendDueJobs } from './reschedule-pairs.ts';
import { unknownPair } from './not-found.ts';
import { isDuplicate } from './violated-rule.ts';

type ControlServices = Pick<ConnectorServices, 'db' | 'producer' | 'log' | 'clock'>;

export interface PairOfWorkspace {
  workspaceId: WorkspaceId;
  ccPairId: CcPairId;
}

/**
 * Takes a pair off its schedule and stops its run.
 * @throws Problem NOT_FOUND, or CONFLICT when it is being deleted
 */
export async function pausePair(
  { db }: Pick<ConnectorServices, 'db'>,
  which: PairOfWorkspace,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    assertStays(await lockOwnPair(trx, which));
    await trx
      .updateTable('cc_pair')
      .set({ status: 'PAUSED', status_reason: null, next_run_at: null, next_prune_at: null })
      .where('id', '=', which.ccPairId)
      .execute();
    await cancelRun(trx, which.ccPairId, 'Canceled: the pair was paused.');
    await trx
      .updateTable('prune_attempt')
      .set({
        status: 'canceled',
        finished_at: sql<Date>`now()`,
        error: 'Canceled: the pair was paused.',
        claim_token: null,
        claimed_until: null,
      })
      .where('cc_pair_id', '=', which.ccPairId)
      .where('status', 'in', ['not_started', 'in_progress'])
      .execute();
  });
}

/**
 * Puts a paused or invalid pair back on its schedule and starts a run at once. An active pair is left unchanged.
 * @throws Problem NOT_FOUND, or CONFLICT when it is being deleted
 */
export async function resumePair(
  services: ControlServices,
  which: PairOfWorkspace,
  requestId: string | null,
): Promise<void> {
  const resumed = await services.db.transaction().execute(async (trx) => {
    const pair = await lockOwnPair(trx, which);
    assertStays(pair);
    if (pair.status !== 'PAUSED' && pair.status !== 'INVALID') return false;
    await resumeLocked(trx, which.ccPairId, services.clock());
    return true;
  });
  if (resumed) await sendDueJobs(services, [which.ccPairId], requestId);
}

/** The caller holds the pair's lock, has checked that the pair is stopped, and sends its jobs after the commit. */
export async function resumeLocked(
  trx: DatabaseTransaction,
  ccPairId: CcPairId,
  now: Date,
): Promise<void> {
  await sql`update cc_pair p set
      status = case when p.last_success_at is not null then 'ACTIVE'
        when exists (select 1 from index_attempt a where a.cc_pair_id = p.id)
          then 'INITIAL_INDEXING'
        else 'SCHEDULED' end,
      status_reason = null, failed_runs = 0,
      next_run_at = case when c.refresh_freq is not null or p.last_success_at is null
        then ${now}::timestamptz end,
      next_prune_at = ${nextPrune(now)}
    from connector c where c.id = p.connector_id and p.id = ${ccPairId}`.execute(trx);
}

/** @throws Problem NOT_FOUND, or BAD_REQUEST when another pair has the name */
export async function renamePair(
  db: Database,
  which: PairOfWorkspace,
  name: string,
): Promise<void> {
  try {
    const renamed = await db
      .updateTable('cc_pair')
      .set({ name })
      .where('workspace_id', '=', which.workspaceId)
      .where('id', '=', which.ccPairId)
      .where('connector_id', 'is not', null)
      .returning('id')
      .executeTakeFirst();
    if (!renamed) throw unknownPair(which.ccPairId);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new Problem(
      'BAD_REQUEST',
      'Name must be unique: another pair has it. Send another query.new_name.',
      { cause: error },
    );
  }
}

export type FrequencyName = 'refresh_frequency' | 'pruning_frequency';

/**
 * Sets how often the pair's connector is polled or pruned. Applies to all pairs of that connector, at once.
 * @param seconds null: not scheduled
 * @throws Problem NOT_FOUND, or BAD_REQUEST below the minimum
 */
export async function setFrequency(
  services: ControlServices,
  which: PairOfWorkspace,
  { name, seconds, requestId }: { name: FrequencyName; seconds: number | null; requestId: string },
): Promise<void> {
  const isRefresh = name === 'refresh_frequency';
  const least = isRefresh ? MIN_REFRESH_SECONDS : MIN_PRUNE_SECONDS;
  if (seconds !== null && seconds < least) {
    throw new Problem('BAD_REQUEST', `body.value: ${name} must be at least ${least} seconds.`);
  }
  const changed = await services.db.transaction().execute(async (trx) => {
    const connector_id = await findConnectorOf(trx, which);
    await lockPairs(trx, which.workspaceId, connector_id);
    const column = isRefresh ? sql.ref('refresh_freq') : sql.ref('prune_freq');
    await sql`update connector set ${column} = ${seconds}, updated_at = now()
      where id = ${connector_id} and ${column} is distinct from ${seconds}`.execute(trx);
    return reschedulePairs(trx, connector_id, {
      now: services.clock(),
      runs: isRefresh,
      prunes: !isRefresh,
    });
  });
  await sendDueJobs(services, changed, requestId);
}

async function findConnectorOf(
  trx: DatabaseTransaction,
  { workspaceId, ccPairId }: PairOfWorkspace,
): Promise<ConnectorId> {
  const found = await trx
    .selectFrom('cc_pair')
    .select('connector_id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', ccPairId)
    .executeTakeFirst();
  if (!found?.connector_id) throw unknownPair(ccPairId);
  return found.connector_id;
}

function assertStays({ id, status }: Pick<PairRow, 'id' | 'status'>): void {
  if (status !== 'DELETING') return;
  throw new Problem('CONFLICT', `The pair ${id} is being deleted; its status cannot be changed.`);
}
