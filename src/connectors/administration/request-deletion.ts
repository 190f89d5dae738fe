import { sql } from 'kysely';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { cancelRun, lockOwnPair } from '#src/connectors/runs/request-run.ts';
import { sendDeletion } from '#src/connectors/runs/send-jobs.ts';

/**
 * Marks a pair for deletion and stops its run; a job removes its documents, then the pair itself.
 * @throws Problem NOT_FOUND
 */
export async function requestDeletion(
  services: Pick<ConnectorServices, 'db' | 'producer' | 'log'>,
  request: { workspaceId: WorkspaceId; ccPairId: CcPairId; requestId: string | null },
): Promise<void> {
  const { ccPairId, requestId } = request;
  await services.db.transaction().execute(async (trx) => {
    await lockOwnPair(trx, request);
    await cancelRun(trx, ccPairId, 'Canceled: the pair is being deleted.');
    await sql`update prune_attempt set status = 'canceled', finished_at = now(),
        claim_token = null, claimed_until = null
      where cc_pair_id = ${ccPairId} and status in ('not_started', 'in_progress')`.execute(trx);
    await sql`update cc_pair set status = 'DELETING', next_run_at = null, next_prune_at = null,
        deletion_requested_at = coalesce(deletion_requested_at, now()), deletion_error = null,
        queued_at = now()
      where id = ${ccPairId}`.execute(trx);
  });
  await sendDeletion(services, ccPairId, requestId);
}
