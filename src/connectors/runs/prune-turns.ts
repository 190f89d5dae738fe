import { sql } from 'kysely';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import type { Config } from '#src/platform/config.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';

/** Prunes due within this time of each other compete for workers. */
const RUSH_SECONDS = 5;

/**
 * How many prunes a workspace has at once, in all processes: all places of one process but one. A prune may take hours
 * and cannot give its place away, because it would have to list the source from the start again.
 */
function placesOfWorkspace({ CONNECTOR_PRUNE_CONCURRENCY: places }: PlaceConfig): number {
  return Math.max(1, places - 1);
}

type PlaceConfig = Pick<Config, 'CONNECTOR_PRUNE_CONCURRENCY'>;

/** Whether the workspace may have one more prune. Until the transaction ends, no other one of it is told so. */
export async function hasPlace(
  trx: DatabaseTransaction,
  config: PlaceConfig,
  workspaceId: WorkspaceId,
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended('prunes of ' || ${workspaceId}::text, 0))`.execute(
    trx,
  );
  const { rows } = await sql<{ running: number }>`
    select count(*)::int as running from prune_attempt
    where workspace_id = ${workspaceId} and status = 'in_progress'
      and claimed_until > now()`.execute(trx);
  return (rows[0]?.running ?? 0) < placesOfWorkspace(config);
}

/** For `reconcile`: those that found no place are sent when one of their workspace ends. */
export function mayFindPlace(config: PlaceConfig) {
  return sql<boolean>`(select count(*) from prune_attempt running
    where running.workspace_id = prune_attempt.workspace_id and running.status = 'in_progress'
      and running.claimed_until > now()) < ${placesOfWorkspace(config)}`;
}

/** The pair of the workspace whose prune waits longest, apart from `ended`. */
export async function nextWaitingPrune(
  db: Database,
  ended: { workspaceId: WorkspaceId; ccPairId: CcPairId },
  now: Date,
): Promise<CcPairId | null> {
  const { rows } = await sql<{ cc_pair_id: CcPairId }>`
    select cc_pair_id from prune_attempt
    where workspace_id = ${ended.workspaceId} and cc_pair_id <> ${ended.ccPairId}
      and status in ('not_started', 'in_progress')
      and (claimed_until is null or claimed_until < now())
      and (next_attempt_at is null or next_attempt_at <= ${now})
    order by id limit 1`.execute(db);
  return rows[0]?.cc_pair_id ?? null;
}

/**
 * How many prunes of its workspace go before that of a pair: those that run, those that were opened before, and, for
 * one that is not open yet, those due at about the same time.
 */
export async function prunesAhead(db: Database, ccPairId: CcPairId): Promise<number> {
  const { rows } = await sql<{ ahead: number }>`
    with mine as (
      select p.id, p.workspace_id, p.next_prune_at,
        (select a.id from prune_attempt a where a.cc_pair_id = p.id
          and a.status in ('not_started', 'in_progress')) as attempt_id
      from cc_pair p where p.id = ${ccPairId})
    select count(*)::int as ahead from (
      select a.cc_pair_id from mine
      join prune_attempt a on a.workspace_id = mine.workspace_id and a.cc_pair_id <> mine.id
        and a.status in ('not_started', 'in_progress')
      where a.status = 'in_progress' or a.id < mine.attempt_id or mine.attempt_id is null
      union
      select other.id from mine
      join cc_pair other on other.workspace_id = mine.workspace_id and other.id < mine.id
        and other.next_prune_at between
          mine.next_prune_at - make_interval(secs => ${RUSH_SECONDS}) and
          mine.next_prune_at + make_interval(secs => ${RUSH_SECONDS})
      where mine.attempt_id is null) others`.execute(db);
  return rows[0]?.ahead ?? 0;
}
