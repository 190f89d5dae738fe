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

/** A run that waits for its source to be reachable again; it continues by itself. */
export interface WaitingRun {
  pairId: CcPairId;
  name: string;
  /** The source's message. */
  reason: string;
  since: Date;
}

/** Runs that have waited for their source since before that time, except those of pairs that are in trouble anyway. */
export async function waitingRuns(
  db: Database,
  workspaceId: WorkspaceId,
  { before, limit }: { before: Date; limit: number },
): Promise<WaitingRun[]> {
  const { rows } = await sql<WaitingRun>`
    select p.id as "pairId", p.name, coalesce(a.waiting_for, '') as reason,
      coalesce(a.last_page_at, a.started_at, a.created_at) as since
    from index_attempt a join cc_pair p on p.id = a.cc_pair_id
    where a.workspace_id = ${workspaceId} and a.status in ('not_started', 'in_progress')
      and a.waiting_for is not null and a.outages > 0
      and p.failed_runs = 0 and p.status not in ('PAUSED', 'INVALID', 'DELETING')
      and coalesce(a.last_page_at, a.started_at, a.created_at) < ${before}
    order by since, p.id limit ${limit}`.execute(db);
  return rows;
}
