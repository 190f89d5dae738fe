import { sql } from 'kysely';
import type { CcPairId, PruneAttemptId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import type { PairRow } from './open-pair.ts';
import { lockOwnPair } from './request-run.ts';
import { sendPrune } from './send-jobs.ts';

/** Finished prunes kept per pair for inspection. */
const KEPT_PRUNES = 100;

/**
 * Starts a comparison with the source now. `confirm` names a prune that stopped because it would have removed more
 * than half of the documents: the new one may remove about as many.
 * @throws Problem NOT_FOUND, or CONFLICT when a prune is running, or the pair is being deleted
 */
export async function requestPrune(
  services: Pick<ConnectorServices, 'db' | 'producer' | 'log' | 'clock'>,
  request: {
    workspaceId: WorkspaceId;
    ccPairId: CcPairId;
    confirm: PruneAttemptId | null;
    requestId: string | null;
  },
): Promise<PruneAttemptId> {
  const id = await services.db.transaction().execute(async (trx) => {
    const pair = await lockOwnPair(trx, request);
    if (pair.status === 'DELETING') {
      throw new Problem('CONFLICT', `The pair ${pair.id} is being deleted.`);
    }
    if ((await findOpenPrune(trx, pair)) !== null) {
      throw new Problem(
        'CONFLICT',
        `The pair ${pair.id} is being pruned already. GET /manage/admin/cc-pair/${pair.id}/prune-attempts shows how far it is.`,
      );
    }
    const confirmed = request.confirm === null ? null : await readGone(trx, pair, request.confirm);
    return openPrune(trx, pair, confirmed);
  });
  await sendPrune(services, request.ccPairId, null, request.requestId);
  return id;
}

export async function findOpenPrune(
  trx: DatabaseTransaction,
  { id }: Pick<PairRow, 'id'>,
): Promise<PruneAttemptId | null> {
  const { rows } = await sql<{ id: PruneAttemptId }>`
    select id from prune_attempt where cc_pair_id = ${id}
      and status in ('not_started', 'in_progress')`.execute(trx);
  return rows[0]?.id ?? null;
}

/** The caller holds the pair's lock and has checked that none is open. */
export async function openPrune(
  trx: DatabaseTransaction,
  pair: PairRow,
  confirmedGone: number | null,
): Promise<PruneAttemptId> {
  const { rows } = await sql<{ id: PruneAttemptId }>`
    insert into prune_attempt (workspace_id, cc_pair_id, status, confirmed_gone)
    values (${pair.workspace_id}, ${pair.id}, 'not_started', ${confirmedGone})
    returning id`.execute(trx);
  await sql`delete from prune_attempt where cc_pair_id = ${pair.id}
    and id < (select id from prune_attempt where cc_pair_id = ${pair.id}
      order by id desc offset ${KEPT_PRUNES} limit 1)`.execute(trx);
  const [row] = rows;
  if (!row) throw new Error('An insert into prune_attempt returned no row.');
  return row.id;
}

async function readGone(
  trx: DatabaseTransaction,
  pair: PairRow,
  id: PruneAttemptId,
): Promise<number> {
  const { rows } = await sql<{ gone: number }>`
    select gone from prune_attempt where id = ${id} and cc_pair_id = ${pair.id}
      and status = 'needs_confirmation'`.execute(trx);
  const [row] = rows;
  if (row) return row.gone;
  throw new Problem(
    'BAD_REQUEST',
    `confirm_prune_attempt_id: ${id} is not a prune of this pair that waits for confirmation. GET /manage/admin/cc-pair/${pair.id}/prune-attempts lists them.`,
  );
}
