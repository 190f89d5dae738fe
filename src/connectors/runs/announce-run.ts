import { sql } from 'kysely';
import type { CcPairId, IndexAttemptId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { emitEvents, type ToDeliver } from '#src/webhooks/emit-event.ts';

interface EndedRow {
  workspace_id: WorkspaceId;
  cc_pair_id: CcPairId;
  name: string;
  source: string;
  status: 'success' | 'completed_with_errors' | 'failed';
  fetched: number;
  accepted: number;
  unchanged: number;
  skipped: number;
  failed: number;
  error: string | null;
  started_at: Date | null;
  finished_at: Date;
  paused: boolean;
}

/**
 * Tells webhook endpoints how a run ended, in the transaction that ended it, after the pair was updated: `paused` is
 * the pair's state after that.
 * @returns deliveries for `sendDeliveries`
 */
export async function announceRun(
  trx: DatabaseTransaction,
  id: IndexAttemptId,
): Promise<ToDeliver> {
  const { rows } = await sql<EndedRow>`
    select a.workspace_id, a.cc_pair_id, p.name, p.source, a.status, a.fetched, a.accepted,
      a.unchanged, a.skipped, a.failed, a.error, a.started_at, a.finished_at,
      p.status = 'PAUSED' as paused
    from index_attempt a join cc_pair p on p.id = a.cc_pair_id
    where a.id = ${id} and a.status in ('success', 'completed_with_errors', 'failed')`.execute(trx);
  const [run] = rows;
  if (!run) return [];
  const whose = { workspaceId: run.workspace_id, at: run.finished_at };
  const { status } = run;
  if (status === 'failed') {
    const data = { ...factsOf(id, run), error: run.error ?? '', paused: run.paused };
    return emitEvents(trx, [{ ...whose, type: 'connector.sync.failed', data }]);
  }
  const data = { ...factsOf(id, run), status };
  return emitEvents(trx, [{ ...whose, type: 'connector.sync.completed', data }]);
}

function factsOf(id: IndexAttemptId, run: EndedRow) {
  return {
    cc_pair_id: run.cc_pair_id,
    name: run.name,
    source: run.source,
    index_attempt_id: id,
    documents_fetched: run.fetched,
    documents_accepted: run.accepted,
    documents_unchanged: run.unchanged,
    documents_skipped: run.skipped,
    documents_failed: run.failed,
    started_at: run.started_at?.toISOString() ?? null,
    finished_at: run.finished_at.toISOString(),
  };
}
