import { sql } from 'kysely';
import type { CcPairId, IndexAttemptId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { findOpenRun, isRunnable, openRun } from './open-run.ts';
import { type PairRow, readPair } from './open-pair.ts';
import { sendSync } from './send-jobs.ts';

/**
 * Starts a run now. A run already in progress is returned instead, unless everything is to be fetched from the
 * beginning: then it is canceled and a new one starts.
 * @throws Problem NOT_FOUND, or CONFLICT when the pair is paused, invalid or being deleted
 */
export async function requestRun(
  services: Pick<ConnectorServices, 'db' | 'producer' | 'log' | 'clock'>,
  request: {
    workspaceId: WorkspaceId;
    ccPairId: CcPairId;
    fromBeginning: boolean;
    /** Something changed that a run in progress may have passed already, so another run follows it. */
    followUp?: boolean;
    requestId: string | null;
  },
): Promise<IndexAttemptId> {
  const { db, clock } = services;
  const { ccPairId, fromBeginning } = request;
  const id = await db.transaction().execute(async (trx) => {
    const pair = await lockOwnPair(trx, request);
    assertRunnable(pair);
    const open = await findOpenRun(trx, pair);
    if (open !== null && !fromBeginning) {
      // The request means that there is no reason to keep waiting for the source.
      await trx
        .updateTable('index_attempt')
        .set({ next_attempt_at: null })
        .where('id', '=', open)
        .where('claimed_until', 'is', null)
        .execute();
      if (request.followUp) {
        const next_run_at = clock();
        await trx.updateTable('cc_pair').set({ next_run_at }).where('id', '=', pair.id).execute();
      }
      return open;
    }
    if (open !== null) {
      await cancelRun(trx, ccPairId, 'Canceled: a run from the beginning was requested.');
    }
    return openRun(trx, pair, { now: clock(), fromBeginning });
  });
  await sendSync(services, ccPairId, null, request.requestId);
  return id;
}

/** Ends the open run of a pair, if any; its worker notices within seconds and stops. */
export async function cancelRun(
  db: Database | DatabaseTransaction,
  ccPairId: CcPairId,
  reason: string,
): Promise<void> {
  await sql`update index_attempt set status = 'canceled', error = ${reason}, finished_at = now(),
      updated_at = now(), claim_token = null, claimed_until = null, next_attempt_at = null,
      waiting_for = null
    where cc_pair_id = ${ccPairId} and status in ('not_started', 'in_progress')`.execute(db);
}

/** @throws Problem NOT_FOUND */
export async function lockOwnPair(
  trx: DatabaseTransaction,
  { workspaceId, ccPairId }: { workspaceId: WorkspaceId; ccPairId: CcPairId },
): Promise<PairRow> {
  const pair = await readPair(trx, ccPairId, 'lock');
  if (pair?.workspace_id === workspaceId) return pair;
  throw new Problem(
    'NOT_FOUND',
    `There is no connector-credential pair ${ccPairId}. GET /manage/admin/connector/status lists the pairs.`,
  );
}

function assertRunnable(pair: PairRow): void {
  if (isRunnable(pair)) return;
  const remedy = pair.status === 'DELETING' ? 'It is being deleted.' : 'Resume it first.';
  throw new Problem('CONFLICT', `The pair ${pair.id} is ${pair.status}. ${remedy}`);
}
