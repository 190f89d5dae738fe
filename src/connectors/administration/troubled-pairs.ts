import { sql } from 'kysely';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { PairStatus } from '#src/tables/connectors.ts';

/** A pair of a workspace that does not fetch. */
export interface TroubledPair {
  id: CcPairId;
  name: string;
  status: PairStatus;
  statusReason: string | null;
  failedRuns: number;
  /** Of its last run. */
  error: string | null;
  since: Date;
}

/** Pairs that were stopped or fail again and again; those that failed most first. */
export async function troubledPairs(
  db: Database,
  workspaceId: WorkspaceId,
  limit: number,
): Promise<TroubledPair[]> {
  const { rows } = await sql<TroubledPair>`
    select p.id, p.name, p.status, p.status_reason as "statusReason", p.failed_runs as "failedRuns",
      (select a.error from index_attempt a where a.cc_pair_id = p.id and a.finished_at is not null
        order by a.id desc limit 1) as error,
      coalesce(p.last_success_at, p.created_at) as since
    from cc_pair p
    where p.workspace_id = ${workspaceId} and p.connector_id is not null
      and (p.failed_runs > 0 or p.status = 'INVALID'
        or p.status = 'PAUSED' and p.status_reason is not null)
    order by p.failed_runs desc, p.id limit ${limit}`.execute(db);
  return rows;
}
