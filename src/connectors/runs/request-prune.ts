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
  const open = await trx
    .selectFrom('prune_attempt')
    .select('id')
    .where('cc_pair_id', '=', id)
    .where('status', 'in', ['not_started', 'in_progress'])
    .executeTakeFirst();
  return open?.id ?? null;
}

/** The caller holds the pair's lock and has checked that none is open. */
export async function openPrune(
  trx: DatabaseTransaction,
  pair: PairRow,
  confirmedGone: number | null,
): Promise<PruneAttemptId> {
  const { id } = await trx
    .insertInto('prune_attempt')
    .values({
      workspace_id: pair.workspace_id,
      cc_pair_id: pair.id,
      status: 'not_started',
      confirmed_gone: confirmedGone,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await sql`delete from prune_attempt where cc_pair_id = ${pair.id}
    and id < (select id from prune_attempt where cc_pair_id = ${pair.id}
      order by id desc offset ${KEPT_PRUNES} limit 1)`.execute(trx);
  return id;
}

async function readGone(
  trx: DatabaseTransaction,
  pair: PairRow,
  id: PruneAttemptId,
): Promise<number> {
  const row = await trx
    .selectFrom('prune_attempt')
    .select('gone')
    .where('id', '=', id)
    .where('cc_pair_id', '=', pair.id)
    .where('status', '=', 'needs_confirmation')
    .executeTakeFirst();
  if (row) return row.gone;
  throw new Problem(
    'BAD_REQUEST',
    `confirm_prune_attempt_id: ${id} is not a prune of this pair that waits for confirmation. GET /manage/admin/cc-pair/${pair.id}/prune-attempts lists them.`,
  );
}
