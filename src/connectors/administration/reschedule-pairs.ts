import { sql } from 'kysely';
import type { CcPairId, ConnectorId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import type { PairStatus } from '#src/tables/connectors.ts';
import { RUNNABLE } from '#src/connectors/runs/open-run.ts';
import { sendPrune, sendSync } from '#src/connectors/runs/send-jobs.ts';

/**
 * Recomputes the due times of a connector's pairs from their last run and prune. Stopped pairs get theirs when they
 * are resumed. The caller sends the jobs of the returned pairs after the commit.
 */
export async function reschedulePairs(
  trx: DatabaseTransaction,
  connectorId: ConnectorId,
  { now, runs, prunes }: { now: Date; runs: boolean; prunes: boolean },
): Promise<CcPairId[]> {
  if (!runs && !prunes) return [];
  const { rows } = await sql<{ id: CcPairId }>`
    update cc_pair p set
      next_run_at = ${runs ? nextRun(now) : sql`p.next_run_at`},
      next_prune_at = ${prunes ? nextPrune(now) : sql`p.next_prune_at`}
    from connector c
    where c.id = p.connector_id and c.id = ${connectorId} and p.status = any(${[...RUNNABLE]}::text[])
    returning p.id`.execute(trx);
  return rows.map(({ id }) => id);
}

/** When pair `p` of connector `c` runs next. A pair that runs once keeps the due time of its first run. */
function nextRun(now: Date) {
  return sql`case when c.refresh_freq is not null
    then greatest(${now}::timestamptz, coalesce(
      (select max(a.created_at) from index_attempt a where a.cc_pair_id = p.id), p.created_at)
      + make_interval(secs => c.refresh_freq))
    when p.last_success_at is null then p.next_run_at end`;
}

/** When pair `p` of connector `c` is pruned next. */
export function nextPrune(now: Date) {
  return sql`case when c.prune_freq is not null
    then greatest(${now}::timestamptz,
      coalesce(p.last_pruned_at, p.created_at) + make_interval(secs => c.prune_freq)) end`;
}

/**
 * Locks a connector's pairs. Pairs are locked before their connector, because the holder of a pair may want its
 * connector next.
 */
export async function lockPairs(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  connectorId: number,
): Promise<void> {
  await sql`select 1 from cc_pair where workspace_id = ${workspaceId}
    and connector_id = ${connectorId} order by id for update`.execute(trx);
}

/** Tells the workers when to look at these pairs. */
export async function sendDueJobs(
  services: Pick<ConnectorServices, 'db' | 'producer' | 'log' | 'clock'>,
  pairs: readonly CcPairId[],
  requestId: string | null,
): Promise<void> {
  if (pairs.length === 0) return;
  for (const pair of await readDueTimes(services.db, pairs)) {
    if (pair.next_run_at) await sendSync(services, pair.id, pair.next_run_at, requestId);
    if (pair.next_prune_at) await sendPrune(services, pair.id, pair.next_prune_at, requestId);
  }
}

interface DueTimes {
  id: CcPairId;
  next_run_at: Date | null;
  next_prune_at: Date | null;
}

async function readDueTimes(db: Database, pairs: readonly CcPairId[]): Promise<DueTimes[]> {
  const { rows } = await sql<DueTimes>`
    select id, next_run_at, next_prune_at from cc_pair
    where id = any(${pairs}::int[]) order by id`.execute(db);
  return rows;
}

/** The pairs of a connector with their credentials (0: the empty one). */
export async function pairsOfConnector(
  db: Database,
  workspaceId: WorkspaceId,
  connectorId: number,
): Promise<{ id: CcPairId; credential_id: number; status: PairStatus }[]> {
  const { rows } = await sql<{ id: CcPairId; credential_id: number; status: PairStatus }>`
    select id, coalesce(credential_id, 0) as credential_id, status from cc_pair
    where workspace_id = ${workspaceId} and connector_id = ${connectorId}
    order by id`.execute(db);
  return rows;
}
